/** Statements and parts of them, rendered once and used many times. */

import { type SQL, sql } from "drizzle-orm";
import type { SQLWrapper } from "drizzle-orm";
import { render } from "./render.ts";

/**
 * The same SQL as plain text and values, so that rendering it again costs next to nothing: a select list of forty
 * expressions takes longer to render than to run.
 */
export function flatten(query: SQLWrapper): SQL {
  const { sql: text, args } = render(query);
  const parts = text.split("?");
  if (parts.length !== args.length + 1) throw new Error(`SQL has a "?" that is no value, want none: ${text}`);
  return sql.join(
    parts.flatMap((part, index) => index === 0 ? [sql.raw(part)] : [sql`${args[index - 1]}`, sql.raw(part)]),
  );
}
