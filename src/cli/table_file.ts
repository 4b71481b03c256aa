/** Files with tables of certificates: detected from their content, and read in batches. */

import { isPreamble } from "../base/spellings/tables.ts";
import { isYamlList } from "../formats/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../x509/mod.ts";
import { splitterOf, TableError, type TableFormat } from "./table_splitters.ts";

/** Number of bytes from which the kind of a file is detected. */
const HEAD_BYTES = 64 * 1024;
/** Maximum length of a batch, so that a request stays below the limit of bodies. */
const MAX_BATCH_CHARS = 512 * 1024;
const HEADING = /^# (?:Common name|Certificate): /m;
const COLUMN = /(?:^|[,;\t"])\s*(?:common_name|serial_number|fingerprint_sha256)\s*(?:[,;\t"\r\n]|$)/i;

const MEMBER = /"(?:common_name|serial_number|fingerprint_sha256)"\s*:/i;

/** Rows of a table that are imported together. */
export interface TableBatch {
  /** Row numbers in the file, from 1. */
  readonly places: readonly number[];
  readonly rows: readonly string[];
  /** Returns a document with some of the rows. */
  readonly join: (rows: readonly string[]) => string;
  /** Number of bytes of the file that were read. */
  readonly read: number;
}

/** Reads the beginning of a file. */
export async function readHead(path: string): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const head = new Uint8Array(HEAD_BYTES);
  let size = 0;
  for (let count: number | null = 0; count !== null && size < HEAD_BYTES; size += count ?? 0) {
    count = await file.read(head.subarray(size));
    if (count === null) break;
  }
  return head.slice(0, size);
}

/**
 * Returns the format of a table or of a PEM bundle with headings; undefined for files of certificates, and
 * other files.
 * @param options.large Whether the file is too large to be read at once. PEM without headings is then a
 * bundle, too.
 */
export function tableFormatOf(head: Uint8Array, { large }: { large: boolean }): TableFormat | undefined {
  const text = decoderOf(head).decode(head, { stream: true }).replace(/^\ufeff/, "");
  if (text.includes("\0")) return undefined;
  if (
    /^-----BEGIN /m.test(text) && !COLUMN.test(text.split("\n", 1)[0] ?? "") && !/^\s*[[{]/.test(text)
  ) {
    return isYamlList(text) ? "yaml" : HEADING.test(text) || large ? "pem" : undefined;
  }
  if (/^\s*\[/.test(text) || (/^\s*\{/.test(text) && MEMBER.test(text))) return "json";
  if (isYamlList(text)) return "yaml";
  if (HEADING.test(text)) return "pem";
  const header = text.split(/\r?\n|\r/).find((line) => line.trim() !== "" && !isPreamble(line)) ?? "";
  return COLUMN.test(header) ? "csv" : undefined;
}

/**
 * Yields a table in batches of at most `size` rows. Errors: {@link TableError} (a private key, a broken
 * list).
 */
export async function* readBatches(
  path: string,
  { format, size }: { format: TableFormat; size: number },
): AsyncGenerator<TableBatch> {
  const splitter = splitterOf(format);
  const join = (rows: readonly string[]): string => splitter.join(rows);
  let decoder: TextDecoder | undefined;
  let read = 0;
  let place = 0;
  let chars = 0;
  let rows: string[] = [];
  const batch = (): TableBatch => {
    const text = splitter.head + rows.join("");
    // A key must not even be sent to the service, which would refuse it.
    if (holdsPrivateKey(text)) throw new TableError(PRIVATE_KEY_MESSAGE);
    const first = place - rows.length + 1;
    const done = { places: rows.map((_, index) => first + index), rows, join, read };
    [rows, chars] = [[], 0];
    return done;
  };
  function* take(found: readonly string[]): Generator<TableBatch> {
    for (const row of found) {
      if (rows.length === size || (rows.length > 0 && chars + row.length > MAX_BATCH_CHARS)) yield batch();
      rows.push(row);
      chars += row.length;
      place++;
    }
  }
  using file = await Deno.open(path);
  for await (const bytes of file.readable) {
    decoder ??= decoderOf(bytes);
    read += bytes.length;
    yield* take(splitter.push(decoder.decode(bytes, { stream: true })));
  }
  yield* take(splitter.push(decoder?.decode() ?? ""));
  yield* take(splitter.end());
  if (rows.length > 0) yield batch();
}

/** Returns a decoder for UTF-8, or for UTF-16 with a byte order mark, which spreadsheets write. */
function decoderOf([first, second]: Uint8Array): TextDecoder {
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  return new TextDecoder("utf-8");
}
