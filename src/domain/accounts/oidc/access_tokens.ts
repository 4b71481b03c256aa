/**
 * Verifies access tokens that providers issued for the API (RFC 9068), without a request to the provider for
 * each of them.
 */

import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  jwtVerify,
  type RemoteJWKSet,
} from "jose";
import type { AccessToken, OidcProvider, VerifyAccessToken } from "../../../auth/mod.ts";
import type { Clock, Millis } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { claimAt, mapGroups } from "./claims.ts";
import { CLOCK_TOLERANCE_S, metadataOf, type ProviderDeps, providerFetch } from "./provider.ts";

/** Only asymmetric algorithms: anyone could make an HMAC with a public key of the provider. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** RFC 9068 §2.1. Providers that are older than it send `JWT` or nothing. */
const TYPES = ["at+jwt", "application/at+jwt", "jwt", ""];
/** Claims of ID tokens. The API does not accept these, because they are for signing in on the pages. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];
/** Time for which keys are cached. */
const KEYS_MS: Millis = 3_600_000;
/** Minimum time between two requests for the keys because of tokens with an unknown key. */
const RELOAD_MS: Millis = 10_000;

interface Keys {
  readonly keySet: RemoteJWKSet;
  reloadedAt: Millis;
}

export function createVerifier(
  providers: readonly OidcProvider[],
  deps: ProviderDeps & { readonly clock: Clock },
): VerifyAccessToken {
  const accepted = new Map(
    providers.filter(({ apiAudience }) => apiAudience !== undefined).map((one) => [one.issuer, one]),
  );
  const keys = new Map<OidcProvider, Promise<Keys>>();
  return async (token) => {
    const provider = accepted.get(issuerOf(token) ?? "");
    if (provider === undefined) return undefined;
    const known = keys.get(provider) ?? keysOf(provider, deps);
    keys.set(provider, known);
    const read = await known.catch((cause) => {
      keys.delete(provider);
      throw unavailable(provider, cause);
    });
    try {
      return await verify(token, { provider, keys: read, now: deps.clock.now() });
    } catch (error) {
      if (isFaultOfToken(error)) return undefined;
      throw unavailable(provider, error);
    }
  };
}

/** Returns whether the token is at fault, and not the provider's key set. */
function isFaultOfToken(error: unknown): boolean {
  const { JOSEError, JWKSInvalid, JWKSTimeout } = errors;
  return error instanceof JOSEError && error.constructor !== JOSEError && !(error instanceof JWKSInvalid) &&
    !(error instanceof JWKSTimeout);
}

async function keysOf(provider: OidcProvider, deps: ProviderDeps): Promise<Keys> {
  const { jwks_uri } = await metadataOf(provider, deps);
  if (jwks_uri === undefined) throw new Error("The provider has no jwks_uri");
  const fetchKeys = providerFetch(provider, deps);
  const keySet = createRemoteJWKSet(new URL(jwks_uri), {
    cacheMaxAge: KEYS_MS,
    // The code below looks for unknown keys. With the library's cooldown, the first token after a rotation
    // would fail.
    cooldownDuration: Infinity,
    [customFetch]: (url, options) => fetchKeys(url, options),
  });
  return { keySet, reloadedAt: -RELOAD_MS };
}

async function verify(
  token: string,
  { provider, keys, now }: { provider: OidcProvider; keys: Keys; now: Millis },
): Promise<AccessToken | undefined> {
  const options = {
    issuer: provider.issuer,
    audience: provider.apiAudience as string,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(now),
    requiredClaims: ["exp", "sub"],
  };
  const { payload, protectedHeader } = await jwtVerify(token, keys.keySet, options).catch(async (error) => {
    if (!(error instanceof errors.JWKSNoMatchingKey) || now - keys.reloadedAt < RELOAD_MS) throw error;
    keys.reloadedAt = now;
    await keys.keySet.reload();
    return await jwtVerify(token, keys.keySet, options);
  });
  if (!TYPES.includes((protectedHeader.typ ?? "").toLowerCase()) || isOtherToken(payload)) return undefined;
  if (typeof payload.sub !== "string") return undefined;
  const names = claimAt(payload, provider.groupsClaim);
  if (names !== undefined && mapGroups(provider, payload)?.hasAccess !== true) return undefined;
  return { issuer: provider.issuer, subject: payload.sub, expires: (payload.exp as number) * 1000 };
}

/** Returns whether a token is for another purpose: an ID token, or one that Keycloak marks so (`typ`). */
function isOtherToken(payload: JWTPayload): boolean {
  const { typ = "Bearer" } = payload;
  return typ !== "Bearer" || ID_TOKEN_CLAIMS.some((name) => name in payload);
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function unavailable({ name }: OidcProvider, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  return new AppError("unavailable", `The keys of the provider ${name} cannot be read. Try again later.`, {
    cause,
  });
}
