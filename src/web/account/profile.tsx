/** The profile of the user. */

import type { FieldErrors } from "../../base/errors.ts";
import { listSessions } from "../../domain/accounts/sessions/mod.ts";
import type { Call } from "../call.ts";
import { page } from "../shell/mod.ts";
import { SECURITY_PATH } from "./security/mod.ts";
import { PasswordForm } from "./password_form.tsx";
import { SessionList } from "./session_list.tsx";
import { TimeZoneForm } from "./time_zone.tsx";
import { ownTokens, TokenList } from "./token_list.tsx";

/** Renders the page, with the errors of one of its forms. */
export async function profilePage(
  call: Call,
  errors: {
    readonly tokens?: FieldErrors;
    readonly password?: FieldErrors;
    readonly timeZone?: FieldErrors;
  } = {},
): Promise<Response> {
  const { username, isSuperuser } = call.session.actor;
  const [list, sessions] = await Promise.all([ownTokens(call), listSessions(call)]);
  const wrong = errors.tokens !== undefined || errors.password !== undefined || errors.timeZone !== undefined;
  return page(
    call,
    { title: "Profile", ...(wrong ? { status: 400 } : {}) },
    <>
      <p>
        Signed in as <strong>{username}</strong>
        {isSuperuser ? ", a superuser with all permissions." : "."}
      </p>
      <p>
        <a href={SECURITY_PATH}>Sign-in and security</a>: passkeys, authenticator app, recovery codes.
      </p>
      <TokenList
        call={call}
        list={list}
        {...(errors.tokens === undefined ? {} : { errors: errors.tokens })}
      />
      <TimeZoneForm call={call} errors={errors.timeZone} />
      <SessionList call={call} sessions={sessions} />
      <PasswordForm call={call} {...(errors.password === undefined ? {} : { errors: errors.password })} />
    </>,
  );
}
