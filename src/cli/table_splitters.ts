/**
 * Files with tables of certificates: detected from their content, and split into rows, chunk by chunk, so that tables of
 * any size can be imported in batches.
 */

import { isPreamble } from "../base/spellings/tables.ts";
import { FileError } from "./failure.ts";
import { type DataFormat, tableFormatOf } from "../domain/certificates/import/mod.ts";
import { TABLE_FORMATS } from "../formats/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../x509/mod.ts";

/** Formats of tables and PEM bundles that are imported in batches. */
export type TableFormat = DataFormat;

/** Splits a text that arrives in chunks. */
export interface Splitter {
  /** Returns the text before the rows of each batch. */
  head(): string;
  /** Returns the rows that are complete. */
  push(text: string): string[];
  /** Returns the remaining rows, after the last chunk. */
  end(): string[];
  /** Returns a document with rows. */
  join(rows: readonly string[]): string;
}

/** Maximum length of a row: more than a certificate with the longest chain. */
const MAX_ROW_CHARS = 8 * 1024 * 1024;

/** Returns the rows that a text has completely, the rest, which the next text continues, and whether it must. */
type Divide = (text: string) => readonly [rows: string[], rest: string, isOpen: boolean];

/** Returns the splitter of a format. */
export function splitterOf(format: TableFormat): Splitter {
  const start = format === "pem" ? PEM_ROW : TABLE_FORMATS[format].row;
  const divide: Divide = format === "csv"
    ? divideCsv
    : format === "json"
    ? jsonDivider()
    : (text) => start === undefined ? [[], text, false] : divideLines(text, new RegExp(start, "gm"));
  let [head, rest, hasHead, open] = ["", "", format !== "csv", false];
  const withoutHead = (rows: string[]): string[] => {
    // The first row is the header of every batch. Blank lines before it are not rows.
    while (!hasHead && rows.length > 0) {
      const row = rows.shift() ?? "";
      if (row.trim() === "") continue;
      head += row;
      hasHead = !isPreamble(row);
    }
    return rows;
  };
  return {
    head: () => head,
    push(text): string[] {
      const [rows, left, isOpen] = divide(rest + text);
      if (left.length > MAX_ROW_CHARS) {
        throw new FileError(
          `A row has more than ${MAX_ROW_CHARS} characters. Is a quote or bracket missing?`,
        );
      }
      [rest, open] = [left, isOpen];
      return withoutHead(rows);
    },
    end(): string[] {
      if (open) throw new FileError("The JSON list is not complete.");
      if (format === "json") return [];
      const last = rest === "" || /[\r\n]$/.test(rest) ? rest : `${rest}\n`;
      if (format !== "csv") {
        return last !== "" && (start === undefined || divide(last)[1].search(start) === 0) ? [last] : [];
      }
      return withoutHead(last === "" ? [] : [last]);
    },
    join: (rows) => format === "json" ? `[${rows.join(",")}]` : head + rows.join(""),
  };
}

/** Rows end at a line break outside quotes. A carriage return at the end may be the first half of one. */
function divideCsv(text: string): ReturnType<Divide> {
  const rows: string[] = [];
  let [start, quoted] = [0, false];
  for (const { 0: sign, index } of text.matchAll(/"|\r\n|\r(?!$)|\n/g)) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted) {
      rows.push(text.slice(start, index + sign.length));
      start = index + sign.length;
    }
  }
  return [rows, text.slice(start), false];
}

/** A text, which may be incomplete, or a sign of the structure. */
const JSON_TOKENS = /"(?:[^"\\]+|\\.)*\\?(?:"|$)|[[\]{},]/gs;

/** Rows are the elements of a list, also of the `results` of a list in an API, or objects one after the other. */
function jsonDivider(): Divide {
  let inList = false;
  return (text) => {
    const rows: string[] = [];
    let [depth, isList, start] = [inList ? 1 : 0, inList, 0];
    const take = (end: number, next: number): void => {
      const element = text.slice(start, end).trim();
      const list = isList ? undefined : /^\{[^[]*"results"\s*:\s*(\[.*\])\s*\}$/s.exec(element)?.[1];
      if (list !== undefined) rows.push(...jsonDivider()(list)[0]);
      else if (element !== "") rows.push(element);
      start = next;
    };
    for (const { 0: token, index } of text.matchAll(JSON_TOKENS)) {
      if (token === "[" || token === "{") {
        if (depth++ > 0) continue;
        [isList, start] = [token === "[", token === "[" ? index + 1 : index];
        inList = isList;
      } else if (token === "]" || token === "}") {
        if (--depth > 0) continue;
        take(isList ? index : index + 1, index + 1);
        inList = false;
      } else if (token === "," && depth === 1 && isList) take(index, index + 1);
    }
    return [rows, text.slice(start), depth > 0];
  };
}

/** A comment before a certificate of an export, or a block without one. */
const PEM_ROW = /^(?:# (?:Common name|Certificate): |-----BEGIN )/;

/** Rows begin at certain lines. Blocks after a comment belong to its row. Everything before the first row is left out. */
function divideLines(text: string, first: RegExp): ReturnType<Divide> {
  const starts: number[] = [];
  for (const { 0: line, index } of text.matchAll(first)) {
    const joins = line.startsWith("-----") && text[starts.at(-1) ?? -1] === "#";
    if (!joins) starts.push(index);
  }
  const rows = starts.slice(1).map((start, index) => text.slice(starts[index], start));
  return [rows, text.slice(starts.at(-1) ?? 0), false];
}

/** Number of bytes from which the kind of a file is detected. */
const HEAD_BYTES = 64 * 1024;
/** Maximum length of a batch, so that a request stays below the limit of bodies. */
const MAX_BATCH_CHARS = 512 * 1024;
/** Rows of a table that are imported together. */
export interface TableBatch {
  /** Row numbers in the file, from 1. */
  readonly places: readonly number[];
  readonly rows: readonly string[];
  /** Returns a document with some of the rows. */
  readonly join: (rows: readonly string[]) => string;
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
 * Returns the format of a table from its beginning; undefined if it is none. A `large` bundle of certificates is imported
 * in batches like a table.
 */
export function formatOfHead(head: Uint8Array, { large }: { large: boolean }): TableFormat | undefined {
  const text = decoderOf(head).decode(head, { stream: true });
  if (text.includes("\0")) return undefined;
  return tableFormatOf(text, { exact: true }) ?? (large && /^-----BEGIN /m.test(text) ? "pem" : undefined);
}

/**
 * Yields a table in batches of at most `size` rows. Errors: {@link FileError} (a private key, a broken
 * list).
 */
export async function* readBatches(
  path: string,
  { format, size }: { format: TableFormat; size: number },
): AsyncGenerator<TableBatch> {
  const splitter = splitterOf(format);
  const join = (rows: readonly string[]): string => splitter.join(rows);
  let decoder: TextDecoder | undefined;
  let place = 0;
  let chars = 0;
  let rows: string[] = [];
  const batch = (): TableBatch => {
    const text = splitter.head() + rows.join("");
    // A key must not even be sent to the service, which would refuse it.
    if (holdsPrivateKey(text)) throw new FileError(PRIVATE_KEY_MESSAGE);
    const first = place - rows.length + 1;
    const done = { places: rows.map((_, index) => first + index), rows, join };
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
