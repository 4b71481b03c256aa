/** Long texts, which lists do not return by default: in a side table, or in a column of a small table. */

import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../../base/bytes.ts";
import { cacheRecent } from "../../../base/memoize.ts";
import type { Cell } from "../../../db/mod.ts";
import type { Field, FieldRecord, Selected, SideTable } from "../field.ts";
import { fieldBase, type FieldOptions, oneCell } from "./column.ts";
import { text, textSchema } from "./text.ts";

/** Expressions for the text of an object and its size in bytes, and how texts are stored. */
interface TextStorage {
  readonly value: (alias: string) => SQL;
  /** Decodes the value of `value`. */
  readonly decode?: (cell: Cell) => string;
  readonly bytes: (alias: string) => SQL;
  readonly store: SideTable["store"];
  /** By default the text itself. */
  readonly values?: SideTable["values"];
  /** By default the hash of the text. */
  readonly record?: FieldRecord;
}

/** Defines a long text outside of the resource's table. Not included in lists by default. */
export function sideTableText<const Name extends string>(
  name: Name,
  options: FieldOptions & { maxChars: number },
  { value, decode, bytes, store, values, record }: TextStorage,
): Field<Name, string, string> {
  const selected = (alias: string): Selected =>
    decode === undefined ? [name, value(alias)] : [name, value(alias), decode];
  return {
    ...fieldBase(name, options),
    long: true,
    size: { bytes },
    input: textSchema({ max: options.maxChars, blank: true, trim: false }),
    output: z.string(),
    select: ({ alias }) => [selected(alias)],
    read: oneCell({ column: name, decode: (cell) => cell ?? "" }),
    record: record ?? { read: (row) => digestOf(row[name]) },
    side: { store, values: values ?? (({ input }) => ({ [name]: input[name] ?? "" })) },
    fallback: "",
    filters: {},
  };
}

/** Defines a long text in a column of the resource's table. Not included in lists by default. */
export function longColumn<const Name extends string>(
  name: Name,
  options: FieldOptions & { maxChars: number },
): Field<Name, string, string> {
  return {
    ...text(name, { ...options, max: options.maxChars, trim: false, filter: false }),
    long: true,
    record: { read: (row) => digestOf(row[name]) },
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
