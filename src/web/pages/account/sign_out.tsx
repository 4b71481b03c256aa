/** Ends the session of this browser. */

import { logoutUrl } from "../../../domain/accounts/oidc/mod.ts";
import { endSession, providerSession } from "../../../domain/accounts/sessions/mod.ts";
import type { Call } from "../../call.ts";
import { noSessionCookie } from "../../cookies.ts";
import { seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";

/** Signs out here and, if the session was started at a provider, at the provider. */
export async function signOut(call: Call): Promise<Response> {
  const { client, ctx } = call;
  const begun = await providerSession({ ctx, id: call.session.id });
  await endSession({ ctx, id: call.session.id, event: "sign_out" });
  const cookies = [noSessionCookie(client)];
  const provider = ctx.settings.signIn.providers.find(({ issuer }) => issuer === begun?.issuer);
  const url = provider === undefined || begun === undefined
    ? undefined
    : await logoutUrl(provider, { idToken: begun.idToken, returnTo: `${client.origin}/sign-in/`, deps: ctx });
  if (provider === undefined || url === undefined) {
    return seeOther(call, "/sign-in/", {
      flash: { kind: "success", text: "You have signed out." },
      cookies,
    });
  }
  // Not a redirect, because the Content-Security-Policy allows form submissions only to this service.
  const response = bare(
    call,
    { title: "Signed out" },
    <>
      <p>You have signed out of certmgr.</p>
      <p>
        <a href={url} role="button">Sign out at {provider.name}</a>
      </p>
    </>,
  );
  response.headers.set("refresh", `0; url=${url}`);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
