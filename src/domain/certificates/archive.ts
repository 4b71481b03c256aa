/** Archived certificates stay in the inventory, but lists, notices, calendars and reports leave them out. */

import { type SQL, sql } from "drizzle-orm";
import { compare, type FilterField } from "../../filters/mod.ts";
import { boolean, columnOf, type SetAside, text } from "../../resource/mod.ts";
import { commentsField, markdownField } from "../inventory/mod.ts";

/** The fields for notes about a certificate. */
export const NOTE_FIELDS = [
  text("description", { description: "What it is for.", max: 1_000 }),
  commentsField(),
  markdownField(
    "renewal_note",
    "Instructions for its renewal, in Markdown; shown at renewal and sent with expiry notices. If it is empty, " +
      "the note of its authority is used.",
  ),
  boolean("archived", {
    description: "Whether lists, notices, calendars and reports leave it out, whatever its status.",
    fallback: false,
    filter: false,
  }),
  boolean("pinned", {
    description: "Whether it stays in lists, notices, calendars and reports even if it is archived.",
    fallback: false,
  }),
];

const ARCHIVED = sql`SELECT id FROM certificates WHERE archived = 1`;
/**
 * The value of the filter for lists without the parameter, which callers cannot use: not archived, or pinned.
 */
const NOT_ARCHIVED = "default";

/** Filter `archived=true|false|any`. */
export const archivedFilter: FilterField = {
  kind: "predicate",
  type: "choice",
  choices: ["true", "false", "any"],
  ignoreCase: true,
  condition: (value, { alias }) => {
    const id = columnOf(alias, "id");
    switch (String(value).toLowerCase()) {
      case "true":
        return sql`${id} IN (${ARCHIVED})`;
      case "false":
        return sql`${id} NOT IN (${ARCHIVED})`;
      case NOT_ARCHIVED:
        return unarchived(alias);
      default:
        return sql`1`;
    }
  },
};

/** Lists leave out certificates that are archived and not pinned, unless a filter selects them. */
export const SET_ASIDE: SetAside = {
  filter: "archived",
  condition: compare("archived", "exact", [NOT_ARCHIVED]),
  table: "archived_certificates",
  column: "certificate_id",
};

/**
 * Returns the condition that a certificate is not archived, or is pinned. `column` is the column with its id.
 */
export function unarchived(alias: string, column = "id"): SQL {
  // Most inventories have none, and looking for each row takes three times as long as reading an index.
  return sql`((SELECT max(certificate_id) FROM archived_certificates) IS NULL OR ${
    columnOf(alias, column)
  } NOT IN (SELECT certificate_id FROM archived_certificates))`;
}
