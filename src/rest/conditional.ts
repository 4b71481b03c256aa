/** Answers of reads, which are made again only after a change of what they may show. */

import { sha256Hex } from "../base/bytes.ts";
import { type Download, download, downloadHeaders } from "../base/download.ts";
import { answerKey, type KeptAnswer, keptAnswers, MAX_KEPT_ANSWER_BYTES } from "../resource/mod.ts";
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
  const made = { etag: tagOf(bytes), headers: JSON_HEADERS, bytes };
  if (key !== undefined) answers.keep(key, made);
  return repeat(request, made) as Response;
}

/**
 * The same for a document: it is streamed until it is kept, and has an entity tag from then on. `make` authorizes and
 * parses; a kept document was made for the same caller with the same parameters.
 */
export async function conditionalDownload(
  { ctx, request }: Call,
  make: () => Promise<Download>,
): Promise<Response> {
  const key = await answerKey(ctx, request.url, { uses: false });
  if (key === undefined) return await download(ctx, await make());
  const answers = keptAnswers(ctx.database);
  const known = answers.get(key);
  const repeated = known === undefined ? undefined : repeat(request, known);
  if (repeated !== undefined) return repeated;
  const document = await make();
  const headers = downloadHeaders(document);
  const keep = (text: string): void => {
    const bytes = encoder.encode(text);
    answers.keep(key, { etag: tagOf(bytes), headers, bytes });
  };
  return await download(ctx, { ...document, text: collecting(document.text, keep) });
}

/** Passes a text on, and calls `keep` with all of it at its end, unless it is too long. */
async function* collecting(
  text: AsyncIterable<string>,
  keep: (text: string) => void,
): AsyncGenerator<string> {
  let whole: string | undefined = "";
  for await (const chunk of text) {
    if (whole !== undefined) {
      whole = whole.length + chunk.length > MAX_KEPT_ANSWER_BYTES ? undefined : whole + chunk;
    }
    yield chunk;
  }
  if (whole !== undefined) keep(whole);
}

/** Answers 304 to a client that has an answer, and its content otherwise; undefined without content. */
function repeat(request: Request, { etag, headers, bytes }: KeptAnswer): Response | undefined {
  if (etag !== "" && isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag } });
  return bytes === undefined ? undefined : new Response(bytes, { headers: { ...headers, etag } });
}

function tagOf(bytes: Uint8Array): string {
  return `W/"${sha256Hex(bytes).slice(0, TAG_DIGITS)}"`;
}

const JSON_HEADERS = { "content-type": "application/json" };
