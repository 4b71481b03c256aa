/** Creates and revokes the user's API tokens. */

import { notFound } from "../../../base/errors.ts";
import { tokens } from "../../../domain/accounts/tokens/mod.ts";
import { users } from "../../../domain/accounts/users/mod.ts";
import { createObject, deleteObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { Copyable } from "../../kit/components/mod.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { done, seeOther } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { profilePage } from "./profile.tsx";
import { postedExpiry } from "./token_list.tsx";

/** Creates a token and shows its key once. */
export async function createOwnToken(call: Call): Promise<Response> {
  const { form, ctx } = call;
  try {
    const input = {
      user: ctx.actor.userId,
      description: textOf(form, "description"),
      expires: postedExpiry(call),
      allowed_ips: textOf(form, "allowed_ips").split(/[\s,]+/).filter(Boolean),
      write_enabled: form.has("write_enabled"),
    };
    const token = await createObject({ ctx, resource: tokens, input });
    return tokenPage(call, String(token.key));
  } catch (error) {
    return await profilePage(call, { tokens: fieldErrorsOf(error) });
  }
}

function tokenPage(call: Call, key: string): Response {
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
