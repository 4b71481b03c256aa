/** The page "Sign-in and security": a user's second factors. */

import { awaitsSecondFactor } from "../../../../auth/mod.ts";
import {
  rpIdOf,
  type SecondFactors,
  secondFactorsOf,
} from "../../../../domain/accounts/second_factors/mod.ts";
import type { Call } from "../../../call.ts";
import { EmptyState, type Html, Table, Time } from "../../../kit/components/mod.ts";
import { page } from "../../../shell/mod.ts";
import { SECURITY_PATH } from "./parts.tsx";

/** Renders the user's second factors, with links to add and remove them. */
export async function securityPage(call: Call): Promise<Response> {
  const factors = await secondFactorsOf(call.ctx, call.ctx.actor.userId as number);
  const waits = awaitsSecondFactor(call.session, call.ctx.settings.signIn);
  return page(
    call,
    { title: "Sign-in and security", above: [["Profile", "/profile/"]] },
    factors.hasPassword
      ? (
        <>
          {waits
            ? (
              <p class="flash warn" role="status">
                Your account needs a second factor. Add a passkey or an authenticator app to continue.
              </p>
            )
            : null}
          <PasskeyList call={call} factors={factors} />
          <App factors={factors} />
          <RecoveryCodes factors={factors} />
        </>
      )
      : <p>You do not sign in with a password here. Manage your second factor where you sign in.</p>,
  );
}

function PasskeyList({ call, factors: { passkeys } }: { call: Call; factors: SecondFactors }): Html {
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p>
        A passkey is kept by a device, a password manager or a security key. It signs you in alone, or after
        your password.
      </p>
      {passkeys.length === 0 ? <EmptyState text="No passkeys yet." /> : (
        <Table
          caption="Passkeys"
          rows={passkeys}
          columns={[
            { label: "Name", cell: (row) => row.name },
            { label: "Host", cell: (row) => row.rpId, layout: ["p2"] },
            { label: "Created", cell: (row) => <Time at={row.created} />, layout: ["p2"] },
            {
              label: "Last used",
              cell: (row) => row.lastUsed === null ? "never" : <Time at={row.lastUsed} />,
            },
            {
              label: "Actions",
              layout: ["hidden-label"],
              cell: (row) => (
                <a href={`${SECURITY_PATH}passkeys/${row.id}/remove/`} aria-label={`Remove ${row.name}`}>
                  Remove
                </a>
              ),
            },
          ]}
        />
      )}
      {rpIdOf(call.ctx.baseUrl) === undefined
        ? <p>Passkeys need https and a host name. Open this page there to add one.</p>
        : (
          <p>
            <a href={`${SECURITY_PATH}passkeys/new/`} role="button" class="secondary">Add passkey</a>
          </p>
        )}
    </section>
  );
}

function App({ factors: { app } }: { factors: SecondFactors }): Html {
  return (
    <section aria-labelledby="app">
      <h2 id="app">Authenticator app</h2>
      {app === null
        ? (
          <>
            <p>An app on your phone shows a code that you enter after your password.</p>
            <p>
              <a href={`${SECURITY_PATH}app/`} role="button" class="secondary">Set up app</a>
            </p>
          </>
        )
        : (
          <>
            <p>
              Set up <Time at={app} />.
            </p>
            <p>
              <a href={`${SECURITY_PATH}app/remove/`} role="button" class="secondary">Remove app</a>
            </p>
          </>
        )}
    </section>
  );
}

function RecoveryCodes(
  { factors: { app, passkeys, recoveryCodes } }: { factors: SecondFactors },
): Html | null {
  if (app === null && passkeys.length === 0) return null;
  return (
    <section aria-labelledby="codes">
      <h2 id="codes">Recovery codes</h2>
      <p>
        {recoveryCodes === 1 ? "1 code is left." : `${recoveryCodes} codes are left.`}{" "}
        Each signs you in once when your device is lost.
      </p>
      <p>
        <a href={`${SECURITY_PATH}recovery-codes/`} role="button" class="secondary">Create new codes</a>
      </p>
    </section>
  );
}
