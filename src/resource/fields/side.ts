/** Values kept in side tables: ordered texts (SANs), and the long texts that lists must not touch. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import type { LookupField } from "../../lookup/mod.ts";
import type { Draft, Field } from "../definition.ts";
import { columnOf, type FieldOptions } from "./column.ts";
import { wants } from "./messages.ts";
import { textSchema } from "./text.ts";

interface SideTable {
  table: string;
  /** Column that holds this resource's id. */
  own: string;
}

/** A list of texts in order, one row each: `(own, position, value)`. */
export function texts(
  name: string,
  options: FieldOptions & SideTable & { max: number; maxChars: number; lookups?: Record<string, LookupField> },
): Field {
  const table = sql.identifier(options.table);
  const own = sql.identifier(options.own);
  const list = (alias: string): SQL =>
    sql`(SELECT json_group_array(value ORDER BY position) FROM ${table} WHERE ${own} = ${columnOf(alias, "id")})`;
  return {
    name,
    description: options.description,
    required: options.required ?? false,
    readOnly: false,
    writeOnly: false,
    long: false,
    input: z.array(textSchema({ max: options.maxChars, blank: false }), wants("Expected a list of texts"))
      .max(options.max, { error: `Ensure this field has no more than ${options.max} elements.` }),
    output: z.array(z.string()),
    needs: [],
    select: ({ alias }) => [[name, list(alias)]],
    selectRecord: ({ alias }) => [[name, list(alias)]],
    read: (row) => JSON.parse(row[name] as string ?? "[]"),
    record: (row) => JSON.parse(row[name] as string ?? "[]"),
    store: (drafts) => storeTexts(drafts, name, options),
    fallback: [],
    lookups: options.lookups ?? {},
  };
}

function storeTexts(drafts: readonly Draft[], name: string, side: SideTable): SQL[] {
  const given = drafts.filter((draft) => name in draft.input);
  const table = sql.identifier(side.table);
  const own = sql.identifier(side.own);
  const changed = given.filter((draft) => draft.before !== undefined).map((draft) => draft.id);
  const rows = given.flatMap((draft) =>
    (draft.input[name] as string[]).map((value, position) => [draft.id, position, value])
  );
  const statements: SQL[] = [];
  if (changed.length > 0) {
    statements.push(sql`DELETE FROM ${table} WHERE ${own} IN (SELECT value FROM json_each(${JSON.stringify(changed)}))`);
  }
  if (rows.length > 0) {
    statements.push(
      sql`INSERT INTO ${table} (${own}, position, value) SELECT value->>0, value->>1, value->>2 FROM json_each(${
        JSON.stringify(rows)
      })`,
    );
  }
  return statements;
}

/** A long text in a side table with one row for each object; left out of lists unless asked for. */
export function longText(name: string, options: FieldOptions & SideTable & { maxChars: number }): Field {
  const table = sql.identifier(options.table);
  const own = sql.identifier(options.own);
  const column = sql.identifier(name);
  const value = (alias: string): SQL =>
    sql`coalesce((SELECT ${column} FROM ${table} WHERE ${own} = ${columnOf(alias, "id")}), '')`;
  return {
    name,
    description: options.description,
    required: false,
    readOnly: false,
    writeOnly: false,
    long: true,
    input: textSchema({ max: options.maxChars, blank: true, trim: false }),
    output: z.string(),
    needs: [],
    select: ({ alias }) => [[name, value(alias)]],
    selectRecord: ({ alias }) => [[name, value(alias)]],
    read: (row) => row[name] ?? "",
    // The change log keeps a digest: enough to see that the text changed, and which text it was.
    record: (row) => row[name] ? `sha256:${sha256Hex(row[name] as string)}` : "",
    store: (drafts) => {
      const rows = drafts.filter((draft) => name in draft.input && (draft.input[name] !== "" || draft.before))
        .map((draft) => [draft.id, draft.input[name]]);
      if (rows.length === 0) return [];
      return [
        sql`INSERT INTO ${table} (${own}, ${column}) SELECT value->>0, value->>1 FROM json_each(${
          JSON.stringify(rows)
        }) WHERE true ON CONFLICT (${own}) DO UPDATE SET ${column} = excluded.${column}`,
      ];
    },
    fallback: "",
    lookups: {},
  };
}
