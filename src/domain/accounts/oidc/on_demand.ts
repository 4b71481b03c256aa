import type { VerifyAccessToken } from "../../../auth/mod.ts";

/**
 * Returns the function that verifies access tokens; undefined if no provider's tokens are accepted. Its code and
 * libraries are loaded at the first token, because most installations have no provider.
 */
export function accessTokenVerifier(
  ...[providers, deps]: Parameters<typeof import("./access_tokens.ts").createVerifier>
): VerifyAccessToken | undefined {
  if (providers.every(({ apiAudience }) => apiAudience === undefined)) return undefined;
  let loading: Promise<VerifyAccessToken> | undefined;
  return async (token) => {
    loading ??= import("./access_tokens.ts").then((loaded) => loaded.createVerifier(providers, deps));
    return await (await loading)(token);
  };
}
