/** Responses to reads, which are rebuilt only after a change of the data that they may show. */

import { sha256Hex } from "../base/bytes.ts";
import { answerKey, type KeptAnswer, keptAnswers } from "../resource/mod.ts";
import { isKnown } from "./http.ts";
import type { Call } from "./operation.ts";

/** Hexadecimal digits of the hash in an entity tag. */
const TAG_DIGITS = 32;

const encoder = new TextEncoder();

/**
 * Returns the JSON that `make` returns, with an entity tag: 304 if the client has it already, and the kept one if it was
 * asked for before and nothing has been committed since. The tag is a hash of the content, so that it is the same at
 * each worker, and tells nothing about objects that the caller may not view.
 * @param options.uses whether the answer may show when something was used last.
 * @param make reads what depends on the caller, the address, the data and the time only. The caller has been authorized,
 * and the parameters have been parsed.
 */
export async function conditional(
  { ctx, request }: Call,
  options: { uses: boolean },
  make: () => Promise<string>,
): Promise<Response> {
  const key = await answerKey(ctx, request.url, options);
  const answers = keptAnswers(ctx.database);
  const known = key === undefined ? undefined : answers.get(key);
  const repeated = known === undefined ? undefined : repeat(request, known);
  if (repeated !== undefined) return repeated;
  const bytes = encoder.encode(await make());
  const made = { etag: tagOf(bytes), bytes };
  if (key !== undefined) answers.keep(key, made);
  return repeat(request, made) as Response;
}

/** Answers 304 to a client that has an answer, and its content otherwise; undefined without content. */
function repeat(request: Request, { etag, bytes }: KeptAnswer): Response | undefined {
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return bytes === undefined
    ? undefined
    : new Response(bytes, { headers: { "content-type": "application/json", etag } });
}

function tagOf(bytes: Uint8Array): string {
  return `W/"${sha256Hex(bytes).slice(0, TAG_DIGITS)}"`;
}
