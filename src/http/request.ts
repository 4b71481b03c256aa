/** Outgoing requests and their responses. */

import type { AllowedHosts } from "./check_address.ts";

/** Resolves a host name to its addresses. Throws if it has none. */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** A request to a host that a user configured. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, if it is not a text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Time limit of the whole exchange: DNS, connection, request and response. */
  readonly timeoutMs: number;
  /** Number of bytes of the response body that are read; the rest is discarded. */
  readonly maxReplyBytes: number;
  /** Whether the body of the response is not a text. */
  readonly binary?: boolean;
  readonly allowed: AllowedHosts;
  /** The system's resolver by default. */
  readonly resolve?: Resolver;
}

/** A response with any status. Redirects are not followed. */
export interface OutboundReply {
  readonly status: number;
  /** The unparsed header `Retry-After`. */
  readonly retryAfter: string | null;
  /** The header `Content-Type`. */
  readonly contentType?: string | null;
  readonly etag?: string | null;
  readonly location?: string | null;
  /** The beginning of the body, as text. */
  readonly body: string;
  /** The same as bytes, if the request asks for them; the text is empty then. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** Sends a request. Throws an {@link OutboundError} if there is no response. */
export type Send = (request: OutboundRequest) => Promise<OutboundReply>;

/** The kind of a failure: the target is not allowed, its name has no address, or it gives no (complete) answer. */
export type OutboundFailure = "not_allowed" | "unresolved" | "timeout" | "no_answer";

/**
 * Why there is no response. The message contains neither headers nor the path, because these may be secret.
 */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly failure: OutboundFailure;

  constructor(
    message: string,
    { failure = "no_answer", cause }: { failure?: OutboundFailure; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Hop-by-hop and message framing headers (RFC 9110 §7.6.1, RFC 9112 §6). */
const CONNECTION_HEADERS =
  /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Returns the end-to-end headers, because callers may not set those of the connection. */
export function endToEndHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.test(name)));
}

/**
 * Returns the first bytes of the body of a response: as they are, or as text that the database can store (without null
 * characters).
 */
export function readBody(
  chunks: readonly Uint8Array[],
  { maxReplyBytes: maxBytes, binary = false }: OutboundRequest,
): Pick<OutboundReply, "body" | "bytes"> {
  const bytes = new Uint8Array(Math.min(maxBytes, chunks.reduce((sum, chunk) => sum + chunk.length, 0)));
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  if (binary) return { body: "", bytes };
  return { body: new TextDecoder().decode(bytes).replaceAll("\0", "\uFFFD") };
}
