/** Long texts, which lists do not read by default: in a side table, or in a column of a small table. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../../base/bytes.ts";
import { WRITTEN_PLAIN_CHARS } from "../../../base/limits.ts";
import { type Cell, inBatches, jsonText } from "../../../db/mod.ts";
import type { Field } from "../definition.ts";
import { columnOf } from "../../../filters/mod.ts";
import type { FieldOptions } from "./column.ts";
import { text, textSchema } from "./text.ts";

interface SideTable {
  table: string;
  /** Column that holds this resource's id. */
  own: string;
}

/** Where the text of an object is, with its size in bytes, and how texts are stored. */
interface TextStorage {
  readonly value: (alias: string) => SQL;
  readonly bytes: (alias: string) => SQL;
  readonly store: NonNullable<Field["store"]>;
}

/** A long text outside of the resource's table; not included in lists by default. */
export function sideTableText(
  name: string,
  options: FieldOptions & { maxChars: number },
  { value, bytes, store }: TextStorage,
): Field {
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
    select: ({ alias }) => [[name, value(alias)]],
    selectRecord: ({ alias }) => [[name, value(alias)]],
    read: (row) => row[name] ?? "",
    record: (row) => digestOf(row[name]),
    store,
    storedValues: ({ input }) => ({ [name]: input[name] ?? "" }),
    fallback: "",
    filters: {},
  };
}

/** A long text in a side table with one row per object; not included in lists by default. */
export function longText(name: string, options: FieldOptions & SideTable & { maxChars: number }): Field {
  const table = sql.identifier(options.table);
  const own = sql.identifier(options.own);
  const column = sql.identifier(name);
  const selected = (alias: string, value: SQL, none: SQL): SQL =>
    sql`coalesce((SELECT ${value} FROM ${table} WHERE ${own} = ${columnOf(alias, "id")}), ${none})`;
  return sideTableText(name, options, {
    value: (alias) => selected(alias, sql`${column}`, sql`''`),
    bytes: (alias) => selected(alias, sql`octet_length(${column})`, sql`0`),
    store: (drafts) => {
      const rows = drafts.filter((draft) => name in draft.input && (draft.input[name] !== "" || draft.before))
        .map((draft) => [draft.id, draft.input[name]]);
      return inBatches(rows, WRITTEN_PLAIN_CHARS).map((some) =>
        sql`INSERT INTO ${table} (${own}, ${column}) SELECT value->>0, value->>1 FROM json_each(${
          jsonText(some)
        }) WHERE true ON CONFLICT (${own}) DO UPDATE SET ${column} = excluded.${column}`
      );
    },
  });
}

/** A long text in a column of the resource's table; not included in lists by default. */
export function longColumn(name: string, options: FieldOptions & { maxChars: number }): Field {
  return {
    ...text(name, { ...options, max: options.maxChars, trim: false, filter: false }),
    long: true,
    record: (row) => digestOf(row[name]),
  };
}

/** Returns what the change log contains of a long text: a hash, which identifies the text. */
export function digestOf(cell: Cell | undefined): string {
  return cell ? `sha256:${sha256Hex(String(cell))}` : "";
}
