/** Sign-in at an OpenID Connect provider. */

import { clientOf } from "./sign_in.tsx";
import { ENVIRONMENT_PROVIDER, type OidcProvider } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { sealFlow, takeFlow } from "../../../domain/accounts/oidc/flow.ts";
import {
  endSession,
  openSession,
  recordFailedSignIn,
} from "../../../domain/accounts/sessions/web_sessions.ts";
import type { Call, PublicCall } from "../../call.ts";
import { flowCookie, noFlowCookie, noSessionCookie, readFlowCookie, sessionCookie } from "../../cookies.ts";
import { messagesOf } from "../../messages.ts";
import { ownPath, seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";

/** Path to which the provider of the environment variables redirects the browser, or a provider that is the only one. */
export const CALLBACK_PATH = "/sign-in/oidc/callback";
/** Path of another provider. */
export const OWN_CALLBACK_PATH = "/sign-in/oidc/:provider{[a-z0-9-]+}/callback";

/** Loads the code and libraries for providers only when they are needed. */
const loadProvider = () => import("../../../domain/accounts/oidc/provider.ts");

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
    const { url, flow } = await (await loadProvider()).beginAtProvider(provider, {
      redirectUri: client.origin + callbackPath(call, provider),
      next,
      deps,
    });
    return seeOther(call, url, { cookies: [flowCookie(client, await sealFlow(deps, flow))] });
  });
}

/** Completes the sign-in when the provider has redirected the browser, and starts a session. */
export async function finishProviderSignIn(call: PublicCall): Promise<Response> {
  const { client, deps, url } = call;
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
      const identity = await (await loadProvider()).finishAtProvider(provider, { url: current, flow, deps });
      const { provisionUser } = await import("../../../domain/accounts/oidc/provision.ts");
      const { userId, username, refusal } = await provisionUser({ deps, provider, identity });
      if (refusal !== "") throw new AppError("unauthenticated", refusal);
      const session = { ...clientOf(call), userId, username, by: provider.name, isLocal: false };
      const { secret } = await openSession(deps, session);
      return seeOther(call, flow.next, { cookies: [sessionCookie(client, secret), noFlowCookie(client)] });
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated") {
        const cause = error.cause instanceof Error ? error.cause.message : messagesOf(error).join(" ");
        const detail = `${provider.name}: ${cause}`;
        await recordFailedSignIn(deps, { ...clientOf(call), username: "", detail });
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
        <p role="alert">{messagesOf(error).join(" ")}</p>
        <p>
          <a href="/sign-in/" role="button">Back to sign-in</a>
        </p>
      </>,
    );
    response.headers.append("set-cookie", noFlowCookie(call.client));
    return response;
  }
}

/** Signs out here. A session at a provider stays. */
export async function signOut(call: Call): Promise<Response> {
  const { client, ctx } = call;
  await endSession({ ctx, id: call.session.id, event: "sign_out" });
  return seeOther(call, "/sign-in/", {
    flash: { kind: "success", text: "You have signed out." },
    cookies: [noSessionCookie(client)],
  });
}
