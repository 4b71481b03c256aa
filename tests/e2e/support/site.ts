/** A service that listens, and its signed-in users. */

import { sql } from "drizzle-orm";
import type { BrowserContext } from "playwright-core";
import { sessionCookieName } from "../../../src/auth/mod.ts";
import { randomText, sha256Hex } from "../../../src/base/bytes.ts";
import { DAY_MS } from "../../../src/base/clock.ts";
import { insertRows } from "../../../src/db/mod.ts";
import { sessions } from "../../../src/db/schema/mod.ts";
import { type Actor, signIn } from "../../support/actors.ts";
import type { TestApp, TestAppOptions } from "../../support/app.ts";
import { type Listening, startListening } from "../../support/listening.ts";
import { quickHash } from "../../support/quick_hash.ts";

export type { Actor };

/** The password of all users who sign in by the form. */
export const PASSWORD = "correct horse battery";

/** A service that listens, on a separate database. */
export interface Site extends Listening {
  /** Creates a user with {@link PASSWORD}, to sign in by the form. */
  withPassword(actor: Actor): Promise<void>;
  /** Returns the id of a user, who is created if necessary. */
  userOf(actor: Actor): Promise<number>;
  /** Signs a browser in without the form: creates the user if necessary, and a session. */
  enter(context: BrowserContext, actor: Actor): Promise<void>;
}

/** May do everything. */
export const CHIEF: Actor = { username: "chief", superuser: true, grants: [] };

/** Starts a service on the seeded database: `await using site = await openSite()`. */
export async function openSite(options: TestAppOptions = {}): Promise<Site> {
  const listening = await startListening(options);
  const { service, origin } = listening;
  return {
    ...listening,
    userOf: (actor) => userId(service, actor),
    async withPassword(actor): Promise<void> {
      const id = await userId(service, actor);
      const hash = quickHash(PASSWORD);
      await service.database.write((tx) =>
        tx.run(sql`UPDATE users SET password_hash = ${hash} WHERE id = ${id}`)
      );
    },
    async enter(context, actor): Promise<void> {
      const secret = randomText(43);
      const user_id = await userId(service, actor);
      const now = service.clock.now();
      const row = { secret_hash: sha256Hex(secret), csrf: randomText(43), expires: now + DAY_MS };
      await service.database.write((tx) =>
        tx.run(
          insertRows(sessions, [
            { user_id, ...row, created: now, last_seen: now, address: "127.0.0.1", user_agent: "Test" },
          ]),
        )
      );
      await context.addCookies([{ name: sessionCookieName(origin), value: secret, url: origin }]);
    },
  };
}

/** Returns the id of a user, who is created if necessary. */
export async function userId(service: Pick<TestApp, "database" | "clock">, actor: Actor): Promise<number> {
  const find = async (): Promise<number | undefined> => {
    const [row] = await service.database.all<{ id: number }>(
      sql`SELECT id FROM users WHERE username = ${actor.username}`,
    );
    return row?.id;
  };
  const known = await find();
  if (known !== undefined) return known;
  await signIn(service.database, actor, service.clock.now());
  return await find() as number;
}
