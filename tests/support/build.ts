/** Drizzle's query builder without a connection, as whoever uses the port may use it. */

import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/** `build.select().from(t)`, `build.insert(t).values(…)`, …; awaiting one instead of handing it on is an error. */
export const build: SqliteRemoteDatabase = drizzle(() => {
  throw new Error("Statement was awaited, want it to be handed to a database or a transaction");
});
