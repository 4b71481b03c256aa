/** Sending where there are no sockets of our own (the edge), and the platform keeps its private network out of reach. */

import { checkTarget } from "./check_address.ts";
import {
  endToEndHeaders,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
  readableText,
} from "./request.ts";

/**
 * Sends a request by `fetch`. The URL is judged; what its name means is left to the platform, which must not lead to
 * private addresses. Otherwise as `sendGuarded`. Throws {@link OutboundError}.
 */
export async function sendByFetch(request: OutboundRequest): Promise<OutboundReply> {
  const { url, method, headers, body, timeoutMs, allowed } = request;
  const fault = checkTarget(url, allowed);
  if (fault !== undefined) throw new OutboundError(fault);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers: endToEndHeaders(headers),
      body,
      signal,
      redirect: "manual",
    });
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: await beginning(response, request.maxReplyBytes),
    };
  } catch (cause) {
    // The runtime's message quotes the URL.
    const text = signal.aborted
      ? `No answer within ${timeoutMs / 1000} seconds.`
      : "The host cannot be reached.";
    throw new OutboundError(text, { cause });
  }
}

async function beginning(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let left = maxBytes;
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined && left > 0) {
      const { value, done } = await reader.read();
      if (done) break;
      chunks.push(value);
      left -= value.length;
    }
  } catch {
    // The head of the answer is there, and it decides.
  }
  await reader?.cancel().catch(() => undefined);
  return readableText(chunks, maxBytes);
}
