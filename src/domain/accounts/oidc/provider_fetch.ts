/** Sends requests to a provider through the module for outgoing requests. */

import type { OidcProvider } from "../../../auth/mod.ts";
import type { Logger } from "../../../base/log.ts";
import type { AllowedHosts, Send } from "../../../http/mod.ts";

/** Milliseconds within which the provider must respond. */
const TIMEOUT_MS = 10_000;
/** Maximum size of a response in bytes; key sets and users have a few thousand. */
const MAX_REPLY_BYTES = 1_048_576;
/** Statuses of responses without a body (Fetch standard). */
const WITHOUT_BODY = [204, 205, 304];

/** Dependencies of requests to providers. */
export interface ProviderDeps {
  /** Absent in contexts that send no requests. */
  readonly send?: Send;
  readonly settings: { readonly allowedTargets: AllowedHosts };
  readonly log?: Logger;
}

/** The function that the libraries call to send requests. */
export type ProviderFetch = (
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
