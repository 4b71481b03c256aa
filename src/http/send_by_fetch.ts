/** Sends requests with `fetch`, for platforms without sockets (the edge). */

import { textOf } from "../base/findings.ts";
import { checkTarget } from "./check_address.ts";
import {
  endToEndHeaders,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  readBody,
} from "./request.ts";

/**
 * Sends a request with `fetch`. Checks the URL but not the resolved addresses, so the platform must not route
 * requests to private ones. Otherwise works like `sendGuarded`. Throws {@link OutboundError}.
 */
export async function sendByFetch(request: OutboundRequest): Promise<OutboundReply> {
  const { url, method, headers, timeoutMs, allowed, body, bytes = body } = request;
  const fault = checkTarget(url, allowed);
  if (fault !== undefined) throw new OutboundError(textOf(fault), { failure: "not_allowed" });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers: endToEndHeaders(headers),
      ...(method === "GET" ? {} : { body: bytes }),
      signal,
      redirect: "manual",
    });
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      contentType: response.headers.get("content-type"),
      etag: response.headers.get("etag"),
      location: response.headers.get("location"),
      ...await beginning(response, request),
    };
  } catch (cause) {
    // The runtime's own message quotes the URL, which may be secret.
    throw signal.aborted
      ? new OutboundError(`No answer within ${timeoutMs / 1000} seconds.`, { failure: "timeout", cause })
      : new OutboundError("The host cannot be reached.", { cause });
  }
}

async function beginning(
  response: Response,
  request: OutboundRequest,
): Promise<Pick<OutboundReply, "body" | "bytes">> {
  const chunks: Uint8Array[] = [];
  let left = request.maxReplyBytes;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined && left > 0) {
      const { value, done } = await reader.read();
      if (done) break;
      chunks.push(value);
      left -= value.length;
    }
  } catch {
    // The status has arrived and decides the outcome. The body is only information.
  }
  await reader?.cancel().catch(() => undefined);
  return readBody(chunks, request);
}
