/** A user's own data: how they want to see pages (time zone, rows, columns and page size of lists), and their address. */

import { eq, type SQL, sql } from "drizzle-orm";
import type { Context, ListPreferences } from "../../../auth/mod.ts";
import { forbidden, invalidField } from "../../../base/errors.ts";
import { isTimeZone } from "../../../base/time_zones.ts";
import { insertInto, jsonText, select, type Transaction } from "../../../db/mod.ts";
import { user_preferences, users as table } from "../../../db/schema/mod.ts";
import { quoteInput } from "../../../filters/mod.ts";
import { resourceOfType } from "../../../resource/mod.ts";

/** Returns the caller's own e-mail address; empty without one. One statement. */
export async function ownAddress({ actor, database }: Context): Promise<string> {
  const [user] = await database.all(
    select({ email: table.email }).from(table).where(eq(table.id, actor.userId ?? 0)),
  );
  return user?.email ?? "";
}

export const MAX_COLUMNS = 20;
/** Maximum length of a column's name: `cf_` and the name of a custom field. */
const MAX_COLUMN_CHARS = 60;
/** Numbers of rows per page from which users can choose. */
export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** Heights of a list's rows in pixels from which users can choose. */
export const ROW_HEIGHTS = [32, 40] as const;

/**
 * Sets the time zone, of which an empty one means that of the browser, and the height of rows. Errors: forbidden, invalid
 * (`time_zone`, `row_height`).
 */
export async function saveDisplay(
  { ctx, timeZone, rowHeight }: { ctx: Context; timeZone: string; rowHeight: number },
): Promise<void> {
  const name = timeZone.trim();
  if (name !== "" && !isTimeZone(name)) {
    throw invalidField("time_zone", "invalid_time_zone", { value: quoteInput(name) });
  }
  if (!ROW_HEIGHTS.some((height) => height === rowHeight)) {
    throw invalidField("row_height", "expected_one_of", {
      choices: ROW_HEIGHTS.map(String),
      value: rowHeight,
    });
  }
  await change(ctx, (tx, userId) => {
    const set = { time_zone: name, row_height: rowHeight };
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
    throw invalidField("object_type", "unknown_object_type", { value: quoteInput(objectType) });
  }
  if (limit !== undefined && !PAGE_SIZES.some((size) => size === limit)) {
    throw invalidField("limit", "invalid_page_size", { value: limit, choices: PAGE_SIZES.map(String) });
  }
  if (columns !== undefined && columns.length > MAX_COLUMNS) {
    throw invalidField("columns", "too_many_chosen", {
      count: columns.length,
      things: "columns",
      max: MAX_COLUMNS,
    });
  }
  const wrong = columns?.find((name) => name.length > MAX_COLUMN_CHARS || !/^[a-z0-9_]+$/.test(name));
  if (wrong !== undefined) throw invalidField("columns", "unknown_column_name", { value: quoteInput(wrong) });
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
