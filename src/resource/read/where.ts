/** Combines SQL conditions. */

import { type SQL, sql } from "drizzle-orm";

/** Joins conditions by AND; returns undefined if there are none. */
export function andAll(...conditions: readonly (SQL | undefined)[]): SQL | undefined {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : sql.join(given, sql` AND `);
}

/** Returns ` WHERE …`, or nothing without conditions. */
export function where(...conditions: readonly (SQL | undefined)[]): SQL {
  const condition = andAll(...conditions);
  return condition === undefined ? sql`` : sql` WHERE ${condition}`;
}
