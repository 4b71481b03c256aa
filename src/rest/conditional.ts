/** Responses to reads, which are rebuilt only after a change of the data that they may show. */

import { Buffer } from "node:buffer";
import { sha256Hex } from "../base/bytes.ts";
import { type CachedResponse, responseCacheOf, responseKey } from "../resource/mod.ts";
import { isKnown } from "./http.ts";
import type { Call } from "./operation.ts";

/** Hexadecimal digits of the hash in an entity tag. */
const TAG_DIGITS = 32;

/**
 * Returns the JSON that `make` returns, with an entity tag: 304 if the client has it already, and the cached response
 * if it was requested before and nothing has been committed since. The tag is a hash of the content, so that it is the
 * same in each worker, and reveals nothing about objects that the caller may not view.
 * @param options.uses whether the response may show when something was used last.
 * @param make reads only what depends on the caller, the URL, the data and the time. The caller has been authorized,
 * and the parameters have been parsed.
 */
export async function conditional(
  { ctx, request }: Call,
  options: { uses: boolean },
  make: () => Promise<string>,
): Promise<Response> {
  const key = await responseKey(ctx, request.url, options);
  const responses = responseCacheOf(ctx.database);
  const known = key === undefined ? undefined : responses.get(key);
  const repeated = known === undefined ? undefined : repeat(request, known);
  if (repeated !== undefined) return repeated;
  // TextEncoder clears its memory before it writes, which takes longer than the writing.
  const bytes = Buffer.from(await make());
  const made = { etag: tagOf(bytes), bytes };
  if (key !== undefined) responses.store(key, made);
  return repeat(request, made) as Response;
}

/** Returns 304 if the client has the response already, otherwise its content; undefined if that is not cached. */
function repeat(request: Request, { etag, bytes }: CachedResponse): Response | undefined {
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return bytes === undefined
    ? undefined
    : new Response(bytes, { headers: { "content-type": "application/json", etag } });
}

function tagOf(bytes: Uint8Array): string {
  return `W/"${sha256Hex(bytes).slice(0, TAG_DIGITS)}"`;
}
