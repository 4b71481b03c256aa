/** States as they are shown to users who may not view all certificates on which these depend. */

import { type SQL, sql } from "drizzle-orm";
import type { ShownAs } from "../../filters/mod.ts";
import { columnOf, type Field, masked } from "../../resource/mod.ts";

/** Columns that depend on certificates of the inventory. */
type StateColumn = "state" | "severity" | "state_message" | "state_reason" | "states" | "findings";

/**
 * A state without the certificates that are not in `ids`. A row has a list of them, in `shown_states`. The first one has
 * all certificates on which the state depends, and no values: they are the columns of the row.
 */
export type ShownState = Readonly<{ ids: readonly number[] } & Partial<Record<StateColumn, string | number>>>;

/** Returns what a column shows: its value in the first of the row's `shown_states` of which no certificate is hidden. */
export function shownState(column: StateColumn): ShownAs {
  return (alias, shown) => {
    const inner = `${alias}_basis`;
    const seen = shown("certmgr.certificate", inner);
    if (seen === undefined) return undefined;
    const listed = sql.identifier(`${alias}_shown`);
    const hidden = sql`SELECT 1 FROM json_each(${listed}.value->'ids') AS needed
      CROSS JOIN certificates AS ${sql.identifier(inner)} ON ${columnOf(inner, "id")} = needed.value
      WHERE (${seen}) IS NOT TRUE`;
    const value: SQL = sql`SELECT ${listed}.value->>${column} FROM json_each(${
      columnOf(alias, "shown_states")
    })
      AS ${listed} WHERE NOT EXISTS (${hidden}) ORDER BY ${listed}.key LIMIT 1`;
    return sql`ifnull((${value}), ${columnOf(alias, column)})`;
  };
}

/** Restricts a field of the state to what the caller may know. */
export function maskedState<Of extends Field<StateColumn>>(field: Of): Of {
  return masked(field, shownState(field.name));
}
