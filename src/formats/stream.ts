/** Streams documents. */

import type { ExportRow, Writer } from "./types.ts";

/** Characters per chunk of a streamed document: large enough that the overhead of a chunk does not matter. */
export const EXPORT_CHUNK_CHARS = 32 * 1024;

/**
 * Writes a document in chunks of about {@link EXPORT_CHUNK_CHARS} characters (longer if a row is longer)
 * while its rows are read. Keeps one page and one chunk in memory. If the source fails, the stream fails.
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
