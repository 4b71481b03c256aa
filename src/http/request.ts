/** What is sent out, and what comes back. */

import type { AllowedHosts } from "./allowed_hosts.ts";

/** Gives the addresses of a host name; throws when it has none. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** A request to a host that somebody else has named. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of it: finding the address, connecting, sending, and the answer. */
  readonly timeoutMs: number;
  /** Bytes of the answer's body that are read; what follows is left where it is. */
  readonly maxReplyBytes: number;
  readonly allowed: AllowedHosts;
  /** For tests; the system's own otherwise. */
  readonly resolve?: Resolver;
}

/** An answer, whatever its status; a redirect is not followed. */
export interface OutboundReply {
  readonly status: number;
  /** The header `Retry-After` as it came. */
  readonly retryAfter: string | null;
  /** The beginning of the body, as text. */
  readonly body: string;
}

/** Sends a request. Throws an {@link OutboundError} when there is no answer. */
export type Send = (request: OutboundRequest) => Promise<OutboundReply>;

/** Why there is no answer. The message holds neither headers nor path: they may be secret. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
}

/** Headers that belong to the connection, and to how a body is framed on it (RFC 9110 §7.6.1, RFC 9112 §6). */
const CONNECTION_HEADERS =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** The headers that a caller may decide about. */
export function endToEndHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.test(name)));
}

/** Bytes of a foreign answer as text that can be stored. */
export function readableText(chunks: readonly Uint8Array[], maxBytes: number): string {
  const bytes = new Uint8Array(Math.min(maxBytes, chunks.reduce((sum, chunk) => sum + chunk.length, 0)));
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD");
}
