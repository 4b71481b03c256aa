/** Sessions and tokens after a user is deactivated or gets another password. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../../support/actors.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { quickHash } from "../../../support/quick_hash.ts";
import { changesSince, lastChange } from "../../../support/store.ts";
import { browserOf, textOf } from "../../../web/imports/browser.ts";

const ANN = granted([], { username: "ann" });
const OLD = "correct horse battery";
const NEW = "another horse battery";

async function idOf({ database }: TestApp, username: string): Promise<number> {
  const [user] = await database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = ${username}`);
  return user?.id as number;
}

for (const bulk of [false, true]) {
  Deno.test(`deactivating a user ends their sessions for good, and their tokens until they are active again${bulk ? " (list)" : ""}`, async () => {
    await using app = await testApp();
    const client = await app.as(ANN);
    const browser = await browserOf(app, ANN);
    const chief = await app.as("superuser");
    const id = await idOf(app, "ann");
    const set = async (is_active: boolean): Promise<void> => {
      const [path, body] = bulk
        ? ["/api/users/users/", [{ id, is_active }]] as const
        : [`/api/users/users/${id}/`, { is_active }] as const;
      const response = await chief(path, { method: "PATCH", body });
      assert.equal(response.status, 200);
      await response.body?.cancel();
    };
    const status = async (): Promise<[page: number, api: number]> => {
      const response = await client("/api/users/tokens/");
      await response.body?.cancel();
      return [(await browser.get("/profile/")).status, response.status];
    };
    await set(true);
    assert.deepEqual(await status(), [200, 200]);
    await set(false);
    assert.deepEqual(await status(), [303, 401]);
    await set(true);
    assert.deepEqual(await status(), [303, 200]);
    assert.deepEqual(await app.database.all(sql`SELECT id FROM sessions WHERE user_id = ${id}`), []);
  });
}

for (const revoke of [false, true]) {
  Deno.test(`the password form ${revoke ? "revokes" : "keeps"} API tokens${revoke ? ", when requested" : ""}`, async () => {
    await using app = await testApp();
    const client = await app.as(ANN);
    const browser = await browserOf(app, ANN);
    const id = await idOf(app, "ann");
    const hash = quickHash(OLD);
    await app.database.write((tx) => tx.run(sql`UPDATE users SET password_hash = ${hash} WHERE id = ${id}`));
    assert.match(textOf((await browser.get("/profile/")).html), /Revoke all my API tokens/);
    const since = await lastChange(app.database);
    const fields = { current: OLD, password: NEW, again: NEW, ...(revoke ? { revoke_tokens: "true" } : {}) };
    assert.equal((await browser.post("/profile/password/", fields)).status, 303);
    const response = await client("/api/users/tokens/");
    assert.equal(response.status, revoke ? 401 : 200);
    await response.body?.cancel();
    const { changes } = await changesSince(app.database, since);
    assert.deepEqual(
      changes.map((one) => `${one.action} ${one.object_type}`),
      ["update users.user", ...(revoke ? ["delete users.token"] : [])],
    );
  });
}
