/** From pages of rows to a stream of text. */

import { EXPORT_CHUNK_CHARS } from "../base/limits.ts";
import type { ExportRow, Writer } from "./types.ts";

/**
 * Writes a document as its rows arrive, in chunks of some {@link EXPORT_CHUNK_CHARS} characters (one row may be
 * longer). Holds a page and a chunk, however many rows there are. A failure of the source is a failure of the stream.
 */
export async function* writeDocument(
  writer: Writer,
  pages: AsyncIterable<readonly ExportRow[]>,
): AsyncGenerator<string> {
  let chunk = writer.begin;
  let written = 0;
  for await (const page of pages) {
    for (const piece of writer.rows(page, written)) {
      chunk += piece;
      if (chunk.length < EXPORT_CHUNK_CHARS) continue;
      yield chunk;
      chunk = "";
    }
    written += page.length;
  }
  chunk += writer.end(written);
  if (chunk !== "") yield chunk;
}
