/** Actions of the forms on the profile: password, tokens, sessions, display. */

import { invalidField, notFound } from "../../../base/errors.ts";
import { type Call, idOf } from "../../call.ts";
import { Copyable } from "../../kit/components/mod.ts";
import { tokens } from "../../../domain/accounts/tokens/resource.ts";
import { changePassword } from "../../../domain/accounts/users/change_password.ts";
import { users } from "../../../domain/accounts/users/resource.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { done, seeOther } from "../../responses.ts";
import { counted } from "../../../base/amounts.ts";
import { createObject, deleteObject } from "../../../resource/mod.ts";
import { orAgain, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { endOtherSessions, endSession } from "../../../domain/accounts/sessions/web_sessions.ts";
import { noSessionCookie } from "../../cookies.ts";
import { saveDisplay } from "../../../domain/accounts/preferences/mod.ts";
import { profilePage } from "./profile.tsx";

/** Changes the password and revokes all other sessions. */
export async function changeOwnPassword(call: Call): Promise<Response> {
  const { form, ctx, session } = call;
  const password = textOf(form, "password");
  const revoke = form.has("revoke_tokens");
  const userId = Number(session.actor.userId);
  try {
    if (password !== textOf(form, "again")) throw invalidField("again", "passwords_differ");
    await changePassword({
      ctx,
      input: {
        userId,
        password,
        current: textOf(form, "current"),
        address: call.client.address,
        keepSession: session.id,
        revokesTokens: revoke,
      },
    });
  } catch (error) {
    return await profilePage(call, { form: "password", errors: fieldErrorsOf(error) });
  }
  return done(call, "/profile/", `Password changed${revoke ? " and API tokens revoked" : ""}.`);
}

/** Creates a token and shows its key once. */
export async function createOwnToken(call: Call): Promise<Response> {
  const { form, ctx } = call;
  try {
    const input = {
      user: ctx.actor.userId,
      description: textOf(form, "description"),
      expires: textOf(form, "expires").trim() || null,
      allowed_ips: textOf(form, "allowed_ips").split(/[\s,]+/).filter(Boolean),
      write_enabled: form.has("write_enabled"),
    };
    const token = await createObject({ ctx, resource: tokens, input });
    const key = String(token.key);
    return page(
      call,
      { title: "New API token", above: [["Profile", "/profile/"]] },
      <section>
        <p>Copy this key now: it is not shown again. Store it like a password.</p>
        <Copyable text={key} label="API token" oneLine />
        <p>Send it with each request:</p>
        <Copyable
          text={`curl -H "Authorization: Token ${key}" ${call.client.origin}/api/plugins/certmgr/certificates/`}
          label="Example"
        />
        <p>
          <a href="/profile/" role="button">Continue</a>
        </p>
      </section>,
    );
  } catch (error) {
    return await profilePage(call, { form: "tokens", errors: fieldErrorsOf(error) });
  }
}

export async function revokeOwnToken(call: Call): Promise<Response> {
  await deleteObject({ ctx: call.ctx, resource: tokens, id: idOf(call) });
  return done(call, "/profile/", "Token revoked.");
}

/** Redirects from the `display_url` of a token to the page that lists it. One statement. Errors: not_found. */
export async function visitToken(call: Call): Promise<Response> {
  const { rows: [token] } = await readRows(call.ctx, tokens, {
    params: { id: idOf(call) },
    fields: ["id", "user"],
  });
  if (token === undefined) throw notFound();
  const isOwn = token.user.id === call.ctx.actor.userId;
  return seeOther(call, isOwn ? "/profile/#tokens" : objectPath(users, token.user.id));
}

export async function revokeSession(call: Call): Promise<Response> {
  const id = idOf(call);
  await endSession({ ctx: call.ctx, id });
  if (id !== call.session.id) return done(call, "/profile/", "Session signed out.");
  return seeOther(call, "/sign-in/", { cookies: [noSessionCookie(call.client)] });
}

export async function revokeOtherSessions(call: Call): Promise<Response> {
  const count = await endOtherSessions({ ctx: call.ctx, keep: call.session.id });
  return done(call, "/profile/", `Signed out of ${counted(count, "other session")}.`);
}

/** Stores the time zone and the height of rows. */
export function changeDisplay(call: Call): Promise<Response> {
  return orAgain(async () => {
    const { ctx, form, session: { preferences } } = call;
    const rowHeight = form.has("row_height") ? Number(textOf(form, "row_height")) : preferences.rowHeight;
    await saveDisplay({ ctx, timeZone: textOf(form, "time_zone"), rowHeight });
    return done(call, "/profile/", "Display saved.");
  }, (errors) => profilePage(call, { form: "display", errors }));
}
