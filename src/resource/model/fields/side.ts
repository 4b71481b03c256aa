/** Long texts, which lists do not return by default: in a side table, or in a column of a small table. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../../base/bytes.ts";
import { WRITTEN_PLAIN_CHARS } from "../../../base/limits.ts";
import { memoize } from "../../../base/memoize.ts";
import { cacheRecent } from "../../../base/recent.ts";
import { type Cell, inBatches, jsonText } from "../../../db/mod.ts";
import type { Draft, Field, Selected } from "../definition.ts";
import { columnOf } from "../../../filters/mod.ts";
import { type FieldOptions, oneCell } from "./column.ts";
import { text, textSchema } from "./text.ts";

/** Where the texts of a field are stored: in a table with one row per object that has a text. */
export interface SideTexts {
  readonly table: string;
  /** Column with this resource's id. */
  readonly own: string;
  /** Column of texts that are stored unpacked. */
  readonly column: string;
  /** Columns of packed texts, and of their sizes in bytes. Both are null for unpacked texts. */
  readonly packed: string;
  readonly bytes: string;
  /**
   * Column with the id of the dictionary that a packed text needs, or null, and the table of dictionaries.
   */
  readonly dictionary: string;
  readonly dictionaries: string;
  /**
   * Returns the packed form, from which `unpack` returns the same text; undefined if there is none. Only for
   * ASCII texts.
   */
  readonly pack: (text: string, draft: Draft) => PackedText | undefined;
  readonly unpack: (bytes: Uint8Array, dictionary?: Uint8Array) => string;
}

/** A packed text, and the dictionary that it needs: its id, and its content as SQLite's hex() returns it. */
export interface PackedText {
  readonly bytes: Uint8Array;
  readonly dictionary?: { readonly id: number; readonly hex: string };
}

/**
 * Marks of a text and of a packed text in the result of {@link sideTextSql}, and of the dictionary after it.
 */
const [TEXT_MARK, PACKED_MARK, DICTIONARY_MARK] = ["t", "p", "."] as const;

/** Returns an expression for the text in a row under `alias`. {@link readSideText} decodes its value. */
export function sideTextSql({ column, packed, dictionary, dictionaries }: SideTexts, alias: string): SQL {
  const [text, bytes, id] = [column, packed, dictionary].map((name) => columnOf(alias, name));
  const [textMark, packedMark, dictionaryMark] = [TEXT_MARK, PACKED_MARK, DICTIONARY_MARK]
    .map((mark) => sql.raw(`'${mark}'`));
  return sql`CASE WHEN ${bytes} IS NULL THEN ${textMark} || ${text} ELSE ${packedMark} || hex(${bytes}) || coalesce(
    (SELECT ${dictionaryMark} || hex(content) FROM ${
    sql.identifier(dictionaries)
  } WHERE id = ${id}), '') END`;
}

/**
 * Texts by their packed form in hex. Cached, because a write reads back what it has packed, and others read a
 * text several times.
 */
const unpackedOf = memoize(({ unpack }: SideTexts) =>
  cacheRecent((text) => {
    const [bytes = new Uint8Array(), dictionary] = text.split(DICTIONARY_MARK).map((hex) =>
      Uint8Array.fromHex(hex)
    );
    return unpack(bytes, dictionary);
  })
);

/** Decodes the value of {@link sideTextSql}. Returns an empty text for null, which is a missing row. */
export function readSideText(texts: SideTexts, cell: Cell): string {
  const text = String(cell ?? "");
  return text.startsWith(PACKED_MARK) ? unpackedOf(texts)(text.slice(1)) : text.slice(1);
}

/** Expressions for the text of an object and its size in bytes, and how texts are stored. */
interface TextStorage {
  readonly value: (alias: string) => SQL;
  /** Decodes the value of `value`. */
  readonly decode?: (cell: Cell) => string;
  readonly bytes: (alias: string) => SQL;
  readonly store: NonNullable<Field["store"]>;
}

/** Defines a long text outside of the resource's table. Not included in lists by default. */
export function sideTableText(
  name: string,
  options: FieldOptions & { maxChars: number },
  { value, decode, bytes, store }: TextStorage,
): Field {
  const selected = (alias: string): Selected =>
    decode === undefined ? [name, value(alias)] : [name, value(alias), decode];
  return {
    name,
    description: options.description,
    required: false,
    readOnly: false,
    writeOnly: false,
    long: true,
    bytes,
    input: textSchema({ max: options.maxChars, blank: true, trim: false }),
    output: z.string(),
    needs: [],
    select: ({ alias }) => [selected(alias)],
    selectRecord: ({ alias }) => [selected(alias)],
    read: oneCell({ column: name, decode: (cell) => cell ?? "" }),
    record: (row) => digestOf(row[name]),
    store,
    storedValues: ({ input }) => ({ [name]: input[name] ?? "" }),
    fallback: "",
    filters: {},
  };
}

/** Defines a long text in a side table with one row per object. Not included in lists by default. */
export function longText(
  name: string,
  { texts, ...options }: FieldOptions & { texts: SideTexts; maxChars: number },
): Field {
  const names = [texts.table, texts.own, texts.column, texts.packed, texts.bytes, texts.dictionary];
  const [table, own, column, packed, bytes, dictionary] = names.map((each) => sql.identifier(each));
  const selected = (alias: string, value: SQL): SQL =>
    sql`(SELECT ${value} FROM ${table} WHERE ${own} = ${columnOf(alias, "id")})`;
  return sideTableText(name, options, {
    value: (alias) => selected(alias, sideTextSql(texts, texts.table)),
    decode: (cell) => readSideText(texts, cell),
    bytes: (alias) => sql`coalesce(${selected(alias, sql`coalesce(${bytes}, octet_length(${column}))`)}, 0)`,
    store: (drafts) => {
      const rows = drafts.filter((draft) => name in draft.input && (draft.input[name] !== "" || draft.before))
        .map((draft) => storedRow(texts, draft, String(draft.input[name])));
      return inBatches(rows, WRITTEN_PLAIN_CHARS).map((some) =>
        sql`INSERT INTO ${table} (${own}, ${column}, ${bytes}, ${packed}, ${dictionary})
          SELECT value->>0, value->>1, value->>2, unhex(value->>3), value->>4 FROM json_each(${
          jsonText(some)
        }) WHERE true ON CONFLICT (${own}) DO UPDATE
          SET ${column} = excluded.${column}, ${bytes} = excluded.${bytes}, ${packed} = excluded.${packed},
            ${dictionary} = excluded.${dictionary}`
      );
    },
  });
}

/** Returns the id, the text, the size and hexadecimal digits of the packed text, and its dictionary. */
function storedRow(texts: SideTexts, draft: Draft, text: string): Cell[] {
  const packed = texts.pack(text, draft);
  if (packed === undefined) return [draft.id, text, null, null, null];
  const { bytes, dictionary } = packed;
  // In upper case, as SQLite's hex() returns it.
  const hex = bytes.toHex().toUpperCase();
  unpackedOf(texts).add(dictionary === undefined ? hex : hex + DICTIONARY_MARK + dictionary.hex, text);
  return [draft.id, "", text.length, hex, dictionary?.id ?? null];
}

/** Defines a long text in a column of the resource's table. Not included in lists by default. */
export function longColumn(name: string, options: FieldOptions & { maxChars: number }): Field {
  return {
    ...text(name, { ...options, max: options.maxChars, trim: false, filter: false }),
    long: true,
    record: (row) => digestOf(row[name]),
  };
}

/**
 * Returns the SHA-256 of a long text. Cached, because a write needs it for the same text before and after,
 * and chains are shared.
 */
export const hashOfText = cacheRecent(sha256Hex);

/** Returns what the change log contains for a long text: a hash that identifies the text. */
export function digestOf(cell: Cell | undefined): string {
  return cell ? `sha256:${hashOfText(String(cell))}` : "";
}
