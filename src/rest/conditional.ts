/** Responses to reads that are made again only after the data that they may show has changed. */

import { Buffer } from "node:buffer";
import { sha256Hex } from "../base/bytes.ts";
import { type CachedResponse, responseCacheOf, responseKey } from "../resource/mod.ts";
import { isKnown } from "./http.ts";
import type { Call } from "./operation.ts";

/** Number of hexadecimal digits of the hash in an entity tag. */
const TAG_DIGITS = 32;

/**
 * Returns the JSON of `make` with an entity tag: 304 if the client already has it, and the cached response if
 * it was requested before and nothing was committed since. The tag is a hash of the content, so it is the
 * same in each worker and reveals nothing about objects that the caller may not view.
 * @param options.uses Whether the response may show when something was last used.
 * @param make Must depend only on the caller, the URL, the data and the time. The caller has been authorized
 * and the parameters have been parsed before.
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
  // Faster than TextEncoder, which clears its memory before it writes.
  const bytes = Buffer.from(await make());
  const made = { etag: tagOf(bytes), bytes };
  if (key !== undefined) responses.store(key, made);
  return repeat(request, made) as Response;
}

/**
 * Returns 304 if the client already has the response, otherwise its content; undefined if it is not cached.
 */
function repeat(request: Request, { etag, bytes }: CachedResponse): Response | undefined {
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return bytes === undefined
    ? undefined
    : new Response(bytes, { headers: { "content-type": "application/json", etag } });
}

function tagOf(bytes: Uint8Array): string {
  return `W/"${sha256Hex(bytes).slice(0, TAG_DIGITS)}"`;
}
