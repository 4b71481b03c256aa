/** Loads the conversation with providers, and the libraries for it, where a provider is configured: most have none. */

import type { VerifyAccessToken } from "../../../auth/mod.ts";

type Provider = typeof import("./provider.ts");
type AccessTokens = typeof import("./access_tokens.ts");

/** Begins a sign-in: where the browser is sent, and what it keeps. Errors: unavailable. */
export async function beginOidc(
  ...call: Parameters<Provider["beginOidc"]>
): ReturnType<Provider["beginOidc"]> {
  const { beginOidc } = await import("./provider.ts");
  return await beginOidc(...call);
}

/** Finishes a sign-in. Errors: unauthenticated (the cause says why), unavailable. */
export async function finishOidc(
  ...call: Parameters<Provider["finishOidc"]>
): ReturnType<Provider["finishOidc"]> {
  const { finishOidc } = await import("./provider.ts");
  return await finishOidc(...call);
}

/** Returns where a session at the provider is ended; undefined if the provider has no such page. */
export async function logoutUrl(
  ...call: Parameters<Provider["logoutUrl"]>
): ReturnType<Provider["logoutUrl"]> {
  const { logoutUrl } = await import("./provider.ts");
  return await logoutUrl(...call);
}

/** Returns the function that verifies access tokens; undefined if no provider's tokens are accepted. */
export function accessTokenVerifier(
  ...[providers, deps]: Parameters<AccessTokens["accessTokenVerifier"]>
): VerifyAccessToken | undefined {
  if (providers.every(({ apiAudience }) => apiAudience === undefined)) return undefined;
  let loading: Promise<VerifyAccessToken | undefined> | undefined;
  return async (token) => {
    loading ??= import("./access_tokens.ts").then((loaded) => loaded.accessTokenVerifier(providers, deps));
    return await (await loading)?.(token);
  };
}
