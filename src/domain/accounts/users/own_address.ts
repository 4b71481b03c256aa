/** The e-mail address of the caller. */

import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { select } from "../../../db/mod.ts";
import { users as table } from "../../../db/schema/mod.ts";

/** Returns the caller's own e-mail address; empty without one. One statement. */
export async function ownAddress({ actor, database }: Context): Promise<string> {
  const [user] = await database.all(
    select({ email: table.email }).from(table).where(eq(table.id, actor.userId ?? 0)),
  );
  return user?.email ?? "";
}
