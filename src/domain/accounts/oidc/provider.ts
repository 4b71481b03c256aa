/** Requests to an OpenID Connect provider: discovery, authorization code with PKCE. */

import type { OidcProvider } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { memoize } from "../../../base/memoize.ts";
import type { AllowedHosts, Send } from "../../../http/mod.ts";
import { claimAt, type Claims } from "./claims.ts";
import type { OidcFlow } from "./flow.ts";
import * as client from "openid-client";

/** Milliseconds within which the provider must respond. */
const TIMEOUT_MS = 10_000;
/** Maximum size of a response in bytes; key sets and users have a few thousand. */
const MAX_REPLY_BYTES = 1_048_576;
/** Statuses of responses without a body (Fetch standard). */
const WITHOUT_BODY = [204, 205, 304];

export interface ProviderDeps {
  /** Absent in contexts that send no requests. */
  readonly send?: Send;
  readonly settings: { readonly allowedTargets: AllowedHosts };
}

/** The function that the libraries call to send requests. */
type ProviderFetch = (
  url: string,
  options: { readonly method?: string; readonly headers?: HeadersInit; readonly body?: unknown },
) => Promise<Response>;

/**
 * Returns a `fetch` for a provider's endpoints. The operator has configured the issuer, so its host may be
 * private. Endpoints on other hosts must be public or allowed. Redirects are not followed.
 */
export function providerFetch(
  { issuer }: OidcProvider,
  { send, settings: { allowedTargets } }: ProviderDeps,
): ProviderFetch {
  const host = new URL(issuer).hostname.replace(/^\[(.*)\]$/, "$1");
  const allowed = { ...allowedTargets, names: [...allowedTargets.names, host] };
  return async (url, { method = "GET", headers, body }) => {
    if (send === undefined) throw new Error("This context sends no requests");
    const reply = await send({
      url,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? "" : String(body),
      timeoutMs: TIMEOUT_MS,
      maxReplyBytes: MAX_REPLY_BYTES,
      allowed,
    });
    return new Response(WITHOUT_BODY.includes(reply.status) ? null : reply.body, {
      status: reply.status,
      headers: { "content-type": reply.contentType ?? "" },
    });
  };
}

/** Seconds within which the provider must respond. */
const TIMEOUT_S = 10;
/** Time for which a discovery document is cached. */
const DISCOVERY_MS = 3_600_000;
/** Tolerated difference between clocks, in seconds. */
export const CLOCK_TOLERANCE_S = 30;

/** Maximum length of a subject (OpenID Connect Core, section 2). */
const MAX_SUBJECT_CHARS = 255;

/** A person's identity at the provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
}

/** The last discovery document of a provider, cached as long as the settings exist. */
const cacheOf = memoize((
  _: OidcProvider,
): { known?: { metadata: client.ServerMetadata; at: number } } => ({}));

/** Returns the provider's discovery document. Errors: unavailable. */
export async function metadataOf(provider: OidcProvider, deps: ProviderDeps): Promise<client.ServerMetadata> {
  const cache = cacheOf(provider);
  const { known } = cache;
  if (known !== undefined && performance.now() - known.at < DISCOVERY_MS) return known.metadata;
  const { issuer, clientId } = provider;
  const discovered = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    execute: insecureFor(provider),
    timeout: TIMEOUT_S,
    [client.customFetch]: providerFetch(provider, deps),
  }).catch((cause) => {
    throw new AppError("unavailable", `The provider ${provider.name} cannot be reached. Try again later.`, {
      cause,
    });
  });
  const metadata = discovered.serverMetadata();
  cache.known = { metadata, at: performance.now() };
  return metadata;
}

/**
 * Returns the provider's configuration. Each sign-in creates a new one and reads the keys again, so that the
 * first sign-in after a rotation of keys succeeds. Errors: unavailable.
 */
async function configurationOf(provider: OidcProvider, deps: ProviderDeps): Promise<client.Configuration> {
  const metadata = await metadataOf(provider, deps);
  const { clientId, clientSecret } = provider;
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authentication = clientSecret === undefined
    ? client.None()
    : methods.includes("client_secret_basic")
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret);
  const config = new client.Configuration(
    structuredClone(metadata),
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_S },
    authentication,
  );
  config.timeout = TIMEOUT_S;
  config[client.customFetch] = providerFetch(provider, deps);
  for (const prepare of insecureFor(provider)) prepare(config);
  // In the code flow, the library trusts the TLS connection by default, and does not verify the signature of
  // the ID token.
  client.enableNonRepudiationChecks(config);
  return config;
}

/** Allows plain http, which the settings accept only for this machine. */
function insecureFor({ issuer }: OidcProvider): ((config: client.Configuration) => void)[] {
  return new URL(issuer).protocol === "http:" ? [client.allowInsecureRequests] : [];
}

/**
 * Begins a sign-in. Returns where to redirect the browser, and the state that it keeps. Errors: unavailable.
 */
export async function beginAtProvider(
  provider: OidcProvider,
  { redirectUri, next, deps }: { redirectUri: string; next: string; deps: ProviderDeps },
): Promise<{ url: string; flow: OidcFlow }> {
  const config = await configurationOf(provider, deps);
  const verifier = client.randomPKCECodeVerifier();
  const flow: OidcFlow = {
    provider: provider.id,
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier,
    next,
  };
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: provider.scopes,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, flow };
}

/**
 * Finishes a sign-in: exchanges the code, and verifies state, nonce, issuer, audience, times and signature.
 * Errors: unauthenticated (with the reason as its cause), unavailable.
 */
export async function finishAtProvider(
  provider: OidcProvider,
  { url, flow, deps }: { url: URL; flow: OidcFlow; deps: ProviderDeps },
): Promise<OidcIdentity> {
  const config = await configurationOf(provider, deps);
  try {
    const tokens = await client.authorizationCodeGrant(config, url, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("No ID token");
    if (claims.sub.length > MAX_SUBJECT_CHARS) throw new Error("The claim sub is too long");
    const missing = claimAt(claims, provider.groupsClaim) === undefined;
    const more = missing && config.serverMetadata().userinfo_endpoint !== undefined
      ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
      : {};
    return {
      issuer: claims.iss,
      subject: claims.sub,
      claims: { ...more, ...claims },
    };
  } catch (cause) {
    // The provider may have moved, so the next attempt reads its document again.
    delete cacheOf(provider).known;
    throw new AppError("unauthenticated", `Sign-in at ${provider.name} failed. Try again.`, { cause });
  }
}
