/** Sign-in at an OpenID Connect provider, and by a one-time link. */

import { ENVIRONMENT_PROVIDER, type OidcProvider } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import {
  beginOidc,
  finishOidc,
  provisionUser,
  sealFlow,
  takeFlow,
} from "../../../domain/accounts/oidc/mod.ts";
import {
  openSession,
  recordFailedSignIn,
  SIGN_IN_LINK_PATH,
  signInByLink,
} from "../../../domain/accounts/sessions/mod.ts";
import type { PublicCall } from "../../call.ts";
import { flowCookie, noFlowCookie, readFlowCookie, sessionCookie } from "../../cookies.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { messagesOf } from "../../messages.ts";
import { ownPath, seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";

/** Path to which the provider of the environment variables redirects the browser, or a provider that is the only one. */
export const CALLBACK_PATH = "/sign-in/oidc/callback";
/** Path of another provider. */
export const OWN_CALLBACK_PATH = "/sign-in/oidc/:provider{[a-z0-9-]+}/callback";

function providerOf({ deps }: PublicCall, id: string): OidcProvider {
  const provider = deps.settings.signIn.providers.find((one) => one.id === id);
  if (provider === undefined) throw notFound();
  return provider;
}

/**
 * Returns the path to which a provider redirects the browser. Each has another one: a hostile provider could
 * otherwise send the browser to a second provider, and would get that one's code (RFC 9700, section 4.4).
 */
function callbackPath({ deps }: PublicCall, { id }: OidcProvider): string {
  const { providers } = deps.settings.signIn;
  return id === ENVIRONMENT_PROVIDER || providers.length === 1
    ? CALLBACK_PATH
    : OWN_CALLBACK_PATH.replace(/:.*\}/, id);
}

/** Redirects the browser to the provider. */
export async function beginProviderSignIn(call: PublicCall): Promise<Response> {
  const provider = providerOf(call, call.params.provider ?? "");
  const { client, deps } = call;
  return await orPage(call, async () => {
    const next = ownPath(call.query.get("next"));
    const { url, flow } = await beginOidc(provider, {
      redirectUri: client.origin + callbackPath(call, provider),
      next,
      deps,
    });
    return seeOther(call, url, { cookies: [flowCookie(client, await sealFlow(deps, flow))] });
  });
}

/** Completes the sign-in when the provider has redirected the browser, and starts a session. */
export async function finishProviderSignIn(call: PublicCall): Promise<Response> {
  const { client, deps, request, url } = call;
  const userAgent = request.headers.get("user-agent") ?? "";
  const { address } = client;
  return await orPage(call, async () => {
    const flow = await takeFlow(deps, readFlowCookie(call));
    if (flow === undefined) {
      throw new AppError(
        "unauthenticated",
        "This sign-in has expired, was used already or was begun in another browser. Try again.",
      );
    }
    const provider = providerOf(call, flow.provider);
    const path = callbackPath(call, provider);
    const current = new URL(`${client.origin}${path}${url.search}`);
    try {
      if (url.pathname !== path) {
        throw new AppError(
          "unauthenticated",
          `Sign-in at ${provider.name} failed: another provider responded.`,
        );
      }
      const identity = await finishOidc(provider, { url: current, flow, deps });
      const { userId, username, refusal } = await provisionUser({ deps, provider, identity });
      if (refusal !== "") throw new AppError("unauthenticated", refusal);
      const { issuer, idToken } = identity;
      const session = { userId, username, address, userAgent, by: provider.name, issuer, idToken };
      const { secret } = await openSession(deps, session);
      return seeOther(call, flow.next, { cookies: [sessionCookie(client, secret), noFlowCookie(client)] });
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") {
        const cause = error.cause instanceof Error ? error.cause.message : messagesOf(error.public).join(" ");
        const detail = `${provider.name}: ${cause}`;
        await recordFailedSignIn(deps, { username: "", address, userAgent, detail });
      }
      throw error;
    }
  });
}

/** Runs work; responds to a refusal with a page that links back to the sign-in. */
async function orPage(call: PublicCall, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !["unauthenticated", "unavailable"].includes(error.code)) throw error;
    call.deps.log.log("warn", "sign-in failed", { error: String(error.cause ?? error) });
    const response = bare(
      call,
      { title: "Sign-in failed", status: error.code === "unavailable" ? 503 : 401 },
      <>
        <p role="alert">{messagesOf(error.public).join(" ")}</p>
        <p>
          <a href="/sign-in/" role="button">Back to sign-in</a>
        </p>
      </>,
    );
    response.headers.append("set-cookie", noFlowCookie(call.client));
    return response;
  }
}

/** Asks for confirmation of a one-time link, because a program that opens links must not use it up. */
export function linkPage(call: PublicCall): Response {
  return bare(
    call,
    { title: "Sign in" },
    <form method="post" action={SIGN_IN_LINK_PATH}>
      <input type="hidden" name="link" value={call.query.get("link") ?? ""} />
      <p>This link signs you in once.</p>
      <button type="submit">Sign in</button>
    </form>,
  );
}

/** Signs in by a one-time link. */
export async function linkForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const { client, deps, form, request } = call;
  const userAgent = request.headers.get("user-agent") ?? "";
  const { secret } = await signInByLink({
    deps,
    link: textOf(form, "link"),
    address: client.address,
    userAgent,
  });
  return seeOther(call, "/", { cookies: [sessionCookie(client, secret)] });
}
