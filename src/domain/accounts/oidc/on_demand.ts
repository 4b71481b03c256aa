/**
 * Loads the code and libraries for providers only if one is configured, because most installations have none.
 */

import type { VerifyAccessToken } from "../../../auth/mod.ts";

type Provider = typeof import("./provider.ts");
type Provision = typeof import("./provision.ts");
type AccessTokens = typeof import("./access_tokens.ts");

/**
 * Begins a sign-in. Returns where to redirect the browser, and the state that it keeps. Errors: unavailable.
 */
export async function beginOidc(
  ...call: Parameters<Provider["beginAtProvider"]>
): ReturnType<Provider["beginAtProvider"]> {
  const { beginAtProvider } = await import("./provider.ts");
  return await beginAtProvider(...call);
}

/** Finishes a sign-in. Errors: unauthenticated (with the reason as its cause), unavailable. */
export async function finishOidc(
  ...call: Parameters<Provider["finishAtProvider"]>
): ReturnType<Provider["finishAtProvider"]> {
  const { finishAtProvider } = await import("./provider.ts");
  return await finishAtProvider(...call);
}

/** Finds or creates the user of an identity, and applies its groups. Errors: unauthenticated. */
export async function provisionUser(
  ...call: Parameters<Provision["provisionUser"]>
): ReturnType<Provision["provisionUser"]> {
  const { provisionUser } = await import("./provision.ts");
  return await provisionUser(...call);
}

/** Returns the URL that ends a session at the provider; undefined if the provider has none. */
export async function logoutUrl(
  ...call: Parameters<Provider["endSessionUrl"]>
): ReturnType<Provider["endSessionUrl"]> {
  const { endSessionUrl } = await import("./provider.ts");
  return await endSessionUrl(...call);
}

/** Returns the function that verifies access tokens; undefined if no provider's tokens are accepted. */
export function accessTokenVerifier(
  ...[providers, deps]: Parameters<AccessTokens["createVerifier"]>
): VerifyAccessToken | undefined {
  if (providers.every(({ apiAudience }) => apiAudience === undefined)) return undefined;
  let loading: Promise<VerifyAccessToken | undefined> | undefined;
  return async (token) => {
    loading ??= import("./access_tokens.ts").then((loaded) => loaded.createVerifier(providers, deps));
    return await (await loading)?.(token);
  };
}
