/** Archived certificates: they are kept, but lists, notices, calendars and reports leave them out. */

import { type SQL, sql } from "drizzle-orm";
import type { FilterField } from "../../filters/mod.ts";
import { boolean, columnOf, type Field, type SetAside, text } from "../../resource/mod.ts";
import { commentsField } from "../inventory/mod.ts";

/** Fields for notes about a certificate. */
export function noteFields(): Field[] {
  return [
    text("description", { description: "What it is for.", max: 1_000 }),
    commentsField(),
    commentsField(
      "renewal_note",
      "What to know when it is renewed, in Markdown; shown at renewal and sent with expiry notices. If it is empty, " +
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
}

const ARCHIVED = sql`SELECT id FROM certificates WHERE archived = 1`;
/** A value of the filter that no caller can give: not archived, or pinned. */
const IN_DAILY_WORK = "default";

/** `archived=true|false|any`. */
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
      case IN_DAILY_WORK:
        return unarchived(alias);
      default:
        return sql`1`;
    }
  },
};

/** Lists leave out what is archived and not pinned unless a filter says otherwise. */
export const SET_ASIDE: SetAside = {
  filter: "archived",
  condition: {
    kind: "compare",
    path: ["archived"],
    operator: "exact",
    values: [IN_DAILY_WORK],
    negated: false,
  },
  table: "archived_certificates",
  column: "certificate_id",
};

/** The condition of the certificates that take part in daily work, by the column that has their ids. */
export function unarchived(alias: string, column = "id"): SQL {
  return sql`${columnOf(alias, column)} NOT IN (SELECT certificate_id FROM archived_certificates)`;
}
