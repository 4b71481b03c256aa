/** SQL fragments that are rendered once and used many times. */

import { type SQL, sql } from "drizzle-orm";
import type { SQLWrapper } from "drizzle-orm";
import { render } from "./render.ts";

/**
 * Returns the same SQL as text and values, so that rendering it again is fast: rendering a select list of forty
 * expressions takes longer than running it.
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
