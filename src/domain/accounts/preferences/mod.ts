/** Stores how a user wants to see pages: the time zone, and the columns and page size of lists. */

import { type SQL, sql } from "drizzle-orm";
import type { Context, ListPreferences } from "../../../auth/mod.ts";
import { forbidden, invalid } from "../../../base/errors.ts";
import { isTimeZone } from "../../../base/time_zones.ts";
import { insertInto, jsonText, type Transaction } from "../../../db/mod.ts";
import { user_preferences } from "../../../db/schema/mod.ts";
import { quoteInput } from "../../../filters/mod.ts";
import { resourceOfType } from "../../../resource/mod.ts";

/** Maximum number of columns in a list. */
export const MAX_COLUMNS = 20;
/** Maximum length of a column's name: `cf_` and the name of a custom field. */
const MAX_COLUMN_CHARS = 60;
/** Numbers of rows per page from which users can choose. */
export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** Sets the time zone. An empty one means that of the browser. Errors: forbidden, invalid (`time_zone`). */
export async function saveTimeZone({ ctx, timeZone }: { ctx: Context; timeZone: string }): Promise<void> {
  const name = timeZone.trim();
  if (name !== "" && !isTimeZone(name)) {
    const message = `Invalid time zone ${quoteInput(name)}. Use a name such as Europe/Berlin, or UTC.`;
    throw invalid({ time_zone: [message] });
  }
  await change(ctx, (tx, userId) => {
    const set = { time_zone: name };
    const row = insertInto(user_preferences).values({ user_id: userId, ...set });
    return tx.run(row.onConflictDoUpdate({ target: user_preferences.user_id, set }));
  });
}

/**
 * Sets columns and page size of a list. Without both, the list has the default ones again. Errors: forbidden,
 * invalid.
 */
export async function saveListPreferences(
  { ctx, objectType, columns, limit }: { ctx: Context; objectType: string } & ListPreferences,
): Promise<void> {
  if (resourceOfType(objectType) === undefined) {
    throw invalid({ object_type: [`Unknown object type ${quoteInput(objectType)}.`] });
  }
  if (limit !== undefined && !PAGE_SIZES.some((size) => size === limit)) {
    throw invalid({ limit: [`Invalid page size "${limit}". Expected one of ${PAGE_SIZES.join(", ")}.`] });
  }
  if (columns !== undefined && columns.length > MAX_COLUMNS) {
    throw invalid({ columns: [`${columns.length} columns are too many. Choose at most ${MAX_COLUMNS}.`] });
  }
  const wrong = columns?.find((name) => name.length > MAX_COLUMN_CHARS || !/^[a-z0-9_]+$/.test(name));
  if (wrong !== undefined) throw invalid({ columns: [`Unknown column ${quoteInput(wrong)}.`] });
  const list = jsonText({
    ...(columns === undefined || columns.length === 0 ? {} : { columns }),
    ...(limit === undefined ? {} : { limit }),
  });
  // Quoted in the path, because names of object types contain a period.
  const path = `$."${objectType}"`;
  const lists = (before: SQL): SQL => sql`json_set(${before}, ${path}, json(${list}))`;
  await change(ctx, (tx, userId) =>
    tx.run(
      insertInto(user_preferences).values({ user_id: userId, lists: lists(sql`'{}'`) })
        .onConflictDoUpdate({ target: user_preferences.user_id, set: { lists: lists(sql`lists`) } }),
    ));
}

async function change(
  { actor, database }: Context,
  write: (tx: Transaction, userId: number) => Promise<unknown>,
): Promise<void> {
  const { userId } = actor;
  if (userId === null) throw forbidden();
  await database.write((tx) => write(tx, userId));
}
