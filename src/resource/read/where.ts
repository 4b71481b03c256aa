/** Conditions put together. */

import { type SQL, sql } from "drizzle-orm";

/** Conditions joined by AND; undefined when there are none. */
export function andAll(...conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : sql.join(given, sql` AND `);
}

/** ` WHERE …`, or nothing. */
export function where(...conditions: readonly (SQL | undefined)[]): SQL {
  const condition = andAll(...conditions);
  return condition === undefined ? sql`` : sql` WHERE ${condition}`;
}
