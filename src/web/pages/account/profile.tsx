/** The profile of the user, in sections. */

import { isGranted } from "../../../auth/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { listSessions } from "../../../domain/accounts/sessions/mod.ts";
import { type Subscription, subscriptions } from "../../../domain/notices/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, EmptyState, type Html, Table } from "../../kit/components/mod.ts";
import { may, ObjectLink, readRows } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { SECURITY_PATH } from "./security/mod.ts";
import { PasswordForm } from "./password_form.tsx";
import { SessionList } from "./session_list.tsx";
import { SettingsSection } from "./settings_section.tsx";
import { ThemeForm } from "./theme_form.tsx";
import { TimeZoneForm } from "./time_zone.tsx";
import { ownTokens, TokenList } from "./token_list.tsx";

/** Maximum of subscriptions on the page. */
const SHOWN_SUBSCRIPTIONS = 20;

/** Renders the page, with the errors of one of its forms. */
export async function profilePage(
  call: Call,
  errors: {
    readonly tokens?: FieldErrors;
    readonly password?: FieldErrors;
    readonly timeZone?: FieldErrors;
  } = {},
): Promise<Response> {
  const [list, sessions, notifications] = await Promise.all([
    ownTokens(call),
    listSessions(call),
    ownSubscriptions(call),
  ]);
  const wrong = errors.tokens !== undefined || errors.password !== undefined || errors.timeZone !== undefined;
  return page(
    call,
    { title: "Profile", ...(wrong ? { status: 400 } : {}) },
    <>
      <Account call={call} errors={errors.password} />
      <SettingsSection
        id="sessions"
        title="Sessions"
        about="Where you are signed in. Sign out of sessions that you do not recognize, and change your password."
      >
        <SessionList call={call} sessions={sessions} />
      </SettingsSection>
      <SettingsSection
        id="tokens"
        title="API tokens"
        about="For programs that use the REST API, GraphQL or the command line with your permissions."
      >
        <TokenList
          call={call}
          list={list}
          {...(errors.tokens === undefined ? {} : { errors: errors.tokens })}
        />
      </SettingsSection>
      {notifications === undefined ? null : <Notifications call={call} rows={notifications} />}
      <SettingsSection
        id="display"
        title="Display"
        about="How pages look, and in which time zone they show times."
      >
        <TimeZoneForm call={call} errors={errors.timeZone} />
        <ThemeForm call={call} />
      </SettingsSection>
    </>,
  );
}

/** Renders who is signed in, the second factor and the password. */
function Account({ call, errors }: { call: Call; errors: FieldErrors | undefined }): Html {
  const { username, isSuperuser, hasSecondFactor } = call.session.actor;
  return (
    <SettingsSection id="account" title="Account" about="Who you are here, and how you sign in.">
      <div class="box">
        <p>
          Signed in as <strong>{username}</strong>
          {isSuperuser ? ", a superuser with all permissions." : "."}
        </p>
        {call.session.isLocal
          ? (
            <p>
              Second factor:{" "}
              {hasSecondFactor ? <Badge value="set up" tone="good" /> : <Badge value="none" tone="warn" />}
            </p>
          )
          : null}
        <p>
          <a href={SECURITY_PATH}>Sign-in and security</a>: passkeys, authenticator app, recovery codes.
        </p>
      </div>
      <PasswordForm call={call} {...(errors === undefined ? {} : { errors })} />
    </SettingsSection>
  );
}

type OwnSubscription = Pick<Subscription, "id" | "url" | "display" | "name" | "mode" | "enabled">;

/** Returns the caller's subscriptions by name; undefined if they may not view any. */
async function ownSubscriptions(call: Call): Promise<readonly OwnSubscription[] | undefined> {
  if (!isGranted(call.ctx, "view", subscriptions.objectType)) return undefined;
  const params = { user_id: String(call.ctx.actor.userId), ordering: "name", limit: SHOWN_SUBSCRIPTIONS };
  const fields = ["id", "url", "display", "name", "mode", "enabled"] as const;
  return (await readRows(call.ctx, subscriptions, { params, fields })).rows;
}

function Notifications({ call, rows }: { call: Call; rows: readonly OwnSubscription[] }): Html {
  return (
    <SettingsSection
      id="notifications"
      title="Notifications"
      about="Your subscriptions: what you are notified of, when, and on which channel."
    >
      {rows.length === 0
        ? <EmptyState text="No subscriptions yet. Subscribe to expiring certificates and failed checks." />
        : (
          <Table
            caption="Subscriptions"
            rows={rows}
            columns={[
              { label: "Name", cell: (row) => <ObjectLink brief={row} /> },
              { label: "Mode", cell: (row) => row.mode },
              {
                label: "State",
                cell: (row) => <Badge value={row.enabled === true ? "enabled" : "disabled"} />,
              },
            ]}
          />
        )}
      {may(call, subscriptions, "add")
        ? (
          <p>
            <a role="button" class="secondary" href={`${listPath(subscriptions)}new/`}>New subscription</a>
          </p>
        )
        : null}
    </SettingsSection>
  );
}
