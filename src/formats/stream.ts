/** Types of exported rows and of the formats that write them, and the stream of a document. */

/** A value: a scalar, or a list of texts. */
export type ExportValue = string | number | boolean | null | readonly string[];

/** A row: values by field name, in the order of the document. */
export type ExportRow = Readonly<Record<string, ExportValue>>;

/** Writes a document. Keeps at most one row in memory. */
export interface Writer {
  /** Text before the first row. */
  readonly begin: string;
  /** Yields the text of rows. `written` is the number of rows before them. */
  readonly rows: (rows: readonly ExportRow[], written: number) => Iterable<string>;
  /** Text after the last of `written` rows. */
  readonly end: (written: number) => string;
}

/** A format of documents. */
export interface Format {
  readonly mediaType: string;
  /** File name extension without a dot. */
  readonly extension: string;
  /** The fields that it writes, if the caller cannot choose them. */
  readonly fields?: (options: { readonly chain: boolean }) => readonly string[];
  /** Whether the PEM text can be included on request. */
  readonly takesPem: boolean;
  /** Returns a writer of rows with these fields. */
  readonly writer: (fields: readonly string[]) => Writer;
}

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
