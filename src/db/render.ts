/**
 * Connects Drizzle and the database clients. {@link render} converts a statement to SQL text and bound
 * values. {@link flatten} does so for one that is used often, so that it is rendered once. {@link
 * storableText} and {@link storableNumber} check the values. {@link pack} reads wide rows as one JSON value
 * each, because creating a JavaScript value for every cell in the native binding takes twice as long as
 * writing JSON in SQLite and reading it with `JSON.parse`.
 */

import { ALL_FIELDS } from "../base/findings.ts";
import { Name, SQL, sql, type SQLWrapper, StringChunk, Table } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { AppError, invalidField } from "../base/errors.ts";
import { memoize } from "../base/memoize.ts";
import type { Cell, Row } from "./database.ts";

/** A bound value. Integers are bigint, because both clients bind numbers as REAL. */
export type Argument = string | number | bigint | null;

/** A rendered statement. */
export interface Statement {
  readonly sql: string;
  readonly args: Argument[];
}

/** Maximum number of values that a statement binds: SQLite's own limit. */
export const MAX_SQL_VALUES = 32_766;

const dialect = new SQLiteAsyncDialect();

/**
 * Renders a statement. Throws a TypeError for a value that cannot be stored, and an {@link AppError} for text with a
 * null character (`invalid`) and for more than {@link MAX_SQL_VALUES} values (`too_large`).
 */
export function render(query: SQLWrapper): Statement {
  const params: unknown[] = [];
  const text = textOf(query.getSQL(), params);
  if (params.length > MAX_SQL_VALUES) {
    throw new AppError(
      "too_large",
      `This request compares ${params.length} values, including those in your permissions; at most ${MAX_SQL_VALUES} ` +
        "are possible. Use fewer filters, or ask an administrator to simplify your permissions.",
    );
  }
  return { sql: text, args: params.map(toArgument) };
}

const nameOf = memoize((table: Table) => byDrizzle(sql`${table}`, []));

/**
 * Returns the text of a statement, and appends its values. Fragments, names, tables and plain values are
 * rendered here. Everything else is rendered by Drizzle, which takes five times as long: a tenth of a short
 * request.
 */
function textOf(query: SQL, params: unknown[]): string {
  if (query["shouldInlineParams"]) return byDrizzle(query, params);
  let text = "";
  for (const chunk of query.queryChunks) {
    if (typeof chunk !== "object" || chunk === null) {
      if (chunk === undefined) continue;
      params.push(chunk);
      text += "?";
    } else if (chunk instanceof StringChunk) {
      text += chunk.value.length === 1 ? chunk.value[0] : chunk.value.join("");
    } else if (chunk instanceof SQL) {
      text += textOf(chunk, params);
    } else if (chunk instanceof Name) {
      text += dialect.escapeName(chunk.value);
    } else if (chunk instanceof Table) {
      text += nameOf(chunk);
    } else text += byDrizzle(sql`${chunk}`, params);
  }
  return text;
}

function byDrizzle(query: SQL, params: unknown[]): string {
  const rendered = dialect.sqlToQuery(query);
  params.push(...rendered.params);
  return rendered.sql;
}

function toArgument(value: unknown): Argument {
  if (typeof value === "string") return storableText(value);
  if (typeof value === "number") {
    return Number.isInteger(value) ? BigInt(storableNumber(value)) : storableNumber(value);
  }
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "bigint" || value === null) return value;
  throw new TypeError(`Expected text, a number, a boolean or null, not a value of type "${typeof value}"`);
}

/**
 * Returns the same SQL as text and values, so that rendering it again is fast. Rendering a select list of
 * forty expressions takes longer than running it.
 */
export function flatten(query: SQLWrapper): SQL {
  const { sql: text, args } = render(query);
  const parts = text.split("?");
  if (parts.length !== args.length + 1) {
    throw new Error(`SQL contains a "?" that is not a placeholder: ${text}`);
  }
  return sql.join(
    parts.flatMap((part, index) => index === 0 ? [sql.raw(part)] : [sql`${args[index - 1]}`, sql.raw(part)]),
  );
}

/**
 * Returns the text with lone surrogates replaced by U+FFFD, because in a JSON escape they become invalid
 * UTF-8, which crashes the process when it is read. Throws `invalid` if the text contains a null character,
 * at which SQLite's functions stop.
 */
export function storableText(text: string): string {
  if (text.includes("\0")) throw invalidField(ALL_FIELDS, "null_character");
  return text.toWellFormed();
}

/** Returns the number. Throws a TypeError if it is not finite, or an integer beyond 2^53. */
export function storableNumber(number: number): number {
  if (Number.isSafeInteger(number) || Number.isFinite(number) && !Number.isInteger(number)) return number;
  throw new TypeError(`Expected a finite number, or an integer within 2^53, not ${number}`);
}

/** Returns JSON for a column, with every string converted by {@link storableText}. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_key, each) => typeof each === "string" ? storableText(each) : each);
}

/** A select list of one JSON column, and the functions that decode its rows. */
export interface Packed<Unpacked extends Row = Row> {
  /** `json_array(…) AS packed`. */
  readonly list: SQL;
  /**
   * Returns a statement of at most `limit` rows with this list as one that can return them all in one row.
   */
  readonly grouped: (rows: SQL, limit: number) => SQL;
  /** Errors: too_large. */
  readonly unpack: (rows: readonly Row[]) => Unpacked[];
}

/** A column of a select list. `decode` converts the result of its expression to the value. */
export type PackedColumn = readonly [name: string, expression: SQL, decode?: (cell: Cell) => Cell];

/** Packs a select list of text, numbers and nulls. Rendered once, so that it can be used many times. */
export function pack<Unpacked extends Row = Row>(columns: readonly PackedColumn[]): Packed<Unpacked> {
  const names = columns.map(([name]) => name);
  const decoders = columns.flatMap(([, , decode], index) =>
    decode === undefined ? [] : [[index, decode] as const]
  );
  const list = flatten(
    sql`json_array(${sql.join(columns.map(([, expression]) => expression), sql`, `)}) AS packed`,
  );
  const cells = (rows: readonly Row[]): Cell[][] => {
    requirePackedBudget(rows);
    const [first] = rows;
    const all: Cell[][] = typeof first?.grouped === "string"
      ? JSON.parse(first.grouped)
      : rows.map(({ packed }) => JSON.parse(String(packed)));
    for (const [index, decode] of decoders) {
      for (const row of all) row[index] = decode(row[index] ?? null);
    }
    return all;
  };
  const grouped = (rows: SQL, limit: number): SQL =>
    limit * names.length > MAX_GROUPED_CELLS ? rows : groupedRows(rows);
  const rowOf = rowMaker<Unpacked>(names);
  return { list, grouped, unpack: (rows) => cells(rows).map(rowOf) };
}

/**
 * Returns a function that creates objects with these members, all of them null. V8 keeps such objects in its
 * fast form, also after their members are set. An object to which more than a dozen members are added by
 * computed names becomes a hash table, which takes twice as long to fill and three times as long to write as
 * JSON.
 */
export function objectMaker<Made extends object>(names: readonly string[]): () => Made {
  // Parsed, because only the parser creates fast objects with any number of members.
  const members = names.map((name) => `${JSON.stringify(name)}:null`).join(",");
  const shape: Made = JSON.parse(`{${members}}`);
  return () => ({ ...shape });
}

/** Returns a function that creates rows from cells in the order of `names`. */
function rowMaker<Made extends Row>(names: readonly string[]): (cells: readonly Cell[]) => Made {
  const shape = objectMaker<Made>(names);
  return (cells) => {
    const row = shape();
    const filled: Row = row;
    for (const [place, name] of names.entries()) filled[name] = cells[place] ?? null;
    return row;
  };
}

/**
 * Maximum number of cells for which the rows of a statement are returned as one. The native binding takes a
 * microsecond for each row that it returns, half of the time of a short one. A text of megabytes takes longer
 * than its rows.
 */
const MAX_GROUPED_CELLS = 12_000;

/**
 * Returns the packed rows of a statement in its order as one list, or no row if there are none. Without
 * HAVING, which a libSQL server refuses without GROUP BY. The statement stands in front, because SQLite's parser has a
 * stack of 100 symbols, of which each subquery around it would take six.
 */
function groupedRows(rows: SQL): SQL {
  return sql`WITH packed_rows AS (${rows}) SELECT length, '[' || packed || ']' AS grouped FROM (
    SELECT count(*) AS length, group_concat(packed, ',') AS packed FROM packed_rows) WHERE length > 0`;
}

/**
 * Maximum number of characters of the rows that a statement reads. A thousand certificates with a megabyte of
 * names each would fill the memory five times over before they are written as JSON.
 */
export const MAX_PACKED_CHARS = 40 * 1024 * 1024;

/** Refuses rows that are too large together before they are parsed. Errors: too_large. */
export function requirePackedBudget(rows: readonly Row[]): void {
  const chars = rows.reduce((sum, { packed, grouped }) => sum + charsOf(packed) + charsOf(grouped), 0);
  if (chars <= MAX_PACKED_CHARS) return;
  throw new AppError(
    "too_large",
    `These ${
      rows[0]?.length ?? rows.length
    } objects have ${chars} characters together; one request may read at most ` +
      `${MAX_PACKED_CHARS}. Request fewer of them.`,
  );
}

function charsOf(cell: Cell | undefined): number {
  return typeof cell === "string" ? cell.length : 0;
}
