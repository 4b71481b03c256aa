/** The page "Sign-in and security": a user's second factors. Users without a required one see only its pages. */

import { awaitsSecondFactor } from "../../../auth/mod.ts";
import { rpIdOf } from "../../../domain/accounts/second_factors/webauthn.ts";
import { secondFactorsOf } from "../../../domain/accounts/second_factors/factors.ts";
import type { Call, Route } from "../../call.ts";
import { EmptyState, type Html, Section, Table, Time } from "../../kit/components/mod.ts";
import { page } from "../../shell/mod.ts";
import { changeRoutes, SECURITY_PATH } from "./second_factors.tsx";

/** Renders the user's second factors, with links to add and remove them. */
async function securityPage(call: Call): Promise<Response> {
  const { ctx, session } = call;
  const options = { title: "Sign-in and security", above: [["Profile", "/profile/"]] } as const;
  const { hasPassword, passkeys, app, recoveryCodes } = await secondFactorsOf(ctx, Number(ctx.actor.userId));
  if (!hasPassword) {
    const text = "You do not sign in with a password here. Manage your second factor where you sign in.";
    return page(call, options, <p>{text}</p>);
  }
  return page(
    call,
    options,
    <>
      {awaitsSecondFactor(session, ctx.settings.signIn)
        ? (
          <p class="flash warn" role="status">
            Your account needs a second factor. Add a passkey or an authenticator app to continue.
          </p>
        )
        : null}
      <Section id="passkeys" title="Passkeys">
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
        {rpIdOf(ctx.baseUrl) === undefined
          ? <p>Passkeys need https and a host name. Open this page there to add one.</p>
          : <Change path="passkeys/new/" label="Add passkey" />}
      </Section>
      <Section id="app" title="Authenticator app">
        {app === null
          ? (
            <>
              <p>An app on your phone shows a code that you enter after your password.</p>
              <Change path="app/" label="Set up app" />
            </>
          )
          : (
            <>
              <p>
                Set up <Time at={app} />.
              </p>
              <Change path="app/remove/" label="Remove app" />
            </>
          )}
      </Section>
      {app === null && passkeys.length === 0 ? null : (
        <Section id="codes" title="Recovery codes">
          <p>
            {recoveryCodes === 1 ? "1 code is left." : `${recoveryCodes} codes are left.`}{" "}
            Each signs you in once when your device is lost.
          </p>
          <Change path="recovery-codes/" label="Create new codes" />
        </Section>
      )}
    </>,
  );
}

/** Renders the link to the form of a change. */
function Change({ path, label }: { path: string; label: string }): Html {
  return (
    <p>
      <a href={SECURITY_PATH + path} role="button" class="secondary">{label}</a>
    </p>
  );
}

export const securityRoutes: readonly Route[] = [
  { method: "GET" as const, path: SECURITY_PATH, handle: securityPage },
  ...changeRoutes,
].map((route) => ({ ...route, beforeSecondFactor: true }));
