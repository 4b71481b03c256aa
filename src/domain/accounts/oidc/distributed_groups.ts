/** Reads a groups claim that is not in the ID token itself. */

import { decodeJwt } from "jose";
import type { OidcProvider } from "../../../auth/mod.ts";
import { claimAt, type Claims, isClaims } from "./claims.ts";
import { type ProviderDeps, providerFetch } from "./provider_fetch.ts";

/**
 * Returns the groups claim that the provider gives elsewhere, as a claim of its own name: in an embedded token, or
 * at an address (OpenID Connect Core, section 5.6.2). The address gets only the access token that comes with it;
 * because the provider's own signed token names it, the signature of its answer is not verified.
 * Returns nothing if there is none, or if it cannot be read: then the groups are unknown.
 */
export async function distributedGroups(
  provider: OidcProvider,
  { claims, deps }: { claims: Claims; deps: ProviderDeps },
): Promise<Claims> {
  const { groupsClaim } = provider;
  const { _claim_names: names, _claim_sources: sources } = claims;
  if (!isClaims(names) || !isClaims(sources)) return {};
  const source = claimAt(sources, String(claimAt(names, groupsClaim)));
  if (!isClaims(source)) return {};
  const { JWT: embedded, endpoint, access_token } = source;
  try {
    const text = typeof embedded === "string" ? embedded : await readSource(provider, {
      url: new URL(String(endpoint)),
      token: access_token,
      deps,
    });
    const read: unknown = text.trim().startsWith("{") ? JSON.parse(text) : decodeJwt(text.trim());
    const groups = isClaims(read) ? claimAt(read, groupsClaim) : undefined;
    return groups === undefined ? {} : { [groupsClaim]: groups };
  } catch (cause) {
    deps.log?.log("warn", "distributed claim unreadable", { provider: provider.name, error: String(cause) });
    return {};
  }
}

async function readSource(
  provider: OidcProvider,
  { url, token, deps }: { url: URL; token: unknown; deps: ProviderDeps },
): Promise<string> {
  if (url.protocol !== "https:" && new URL(provider.issuer).protocol === "https:") {
    throw new Error("Expected https");
  }
  const authorization = typeof token === "string" ? { authorization: `Bearer ${token}` } : {};
  const response = await providerFetch(provider, deps)(url.href, { headers: { ...authorization } });
  if (!response.ok) throw new Error(`The address of the claim answers ${response.status}`);
  return await response.text();
}
