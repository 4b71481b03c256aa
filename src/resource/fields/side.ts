/** Values kept in a side table: the long texts, which lists must not touch. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import type { Field } from "../definition.ts";
import { columnOf, type FieldOptions } from "./column.ts";
import { textSchema } from "./text.ts";

interface SideTable {
  table: string;
  /** Column that holds this resource's id. */
  own: string;
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
