/** An API token alone cannot change the password of its user: that needs the current one. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { verifyPassword } from "../../src/auth/mod.ts";
import { superuser } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { changeLog } from "../support/change_log.ts";
import { quickHash } from "../support/quick_hash.ts";
import { seed } from "../support/seed.ts";

const OLD = "correct horse battery";
const NEW = "another horse battery";
const PATH = "/api/users/users/";

async function owner(app: TestApp, hash: string | null): Promise<{ client: Client; id: number }> {
  const client = await app.as(superuser({ username: "owner" }));
  await app.database.write((tx) =>
    tx.run(sql`UPDATE users SET password_hash = ${hash} WHERE username = 'owner'`)
  );
  const [row] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'owner'`);
  return { client, id: row?.id as number };
}

async function opens(app: TestApp, password: string): Promise<boolean> {
  const [row] = await app.database.all<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM users WHERE username = 'owner'`,
  );
  return await verifyPassword(password, row?.password_hash ?? null);
}

for (
  const [what, body, status, answer] of [
    ["without the current one", { password: NEW }, 400, /"current_password":\["Required to change your own/],
    [
      "with a wrong one",
      { password: NEW, current_password: "wrong" },
      400,
      /"current_password":\["Incorrect/,
    ],
    ["with null", { password: NEW, current_password: null }, 400, /"current_password":\[/],
    ["with the current one", { password: NEW, current_password: OLD }, 200, /"username":"owner"/],
  ] as const
) {
  for (const form of ["PATCH", "PATCH of a list", "PUT"]) {
    Deno.test(`${form}: an own password ${what} answers ${status}`, async () => {
      await using app = await testApp();
      const { client, id } = await owner(app, quickHash(OLD));
      const inList = form === "PATCH of a list";
      const whole = { ...(form === "PUT" ? { username: "owner" } : {}), ...body };
      const response = await client(inList ? PATH : `${PATH}${id}/`, {
        method: form.split(" ")[0] as string,
        body: inList ? [{ id: seed.users.alice, first_name: "A" }, { id, ...whole }] : whole,
      });
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.match(text, answer);
      assert.doesNotMatch(text, /horse/);
      assert.deepEqual([await opens(app, OLD), await opens(app, NEW)], [status !== 200, status === 200]);
      assert.doesNotMatch(JSON.stringify(await changeLog(app.database)), /horse/);
    });
  }
}

Deno.test("an account without a password does not get one by its own token, and another one does", async () => {
  await using app = await testApp();
  const { client, id } = await owner(app, null);
  const own = await client(`${PATH}${id}/`, {
    method: "PATCH",
    body: { password: NEW, current_password: OLD },
  });
  assert.equal(own.status, 403, await own.text());
  const other = await client(`${PATH}${seed.users.alice}/`, { method: "PATCH", body: { password: NEW } });
  assert.equal(other.status, 200, await other.text());
});

Deno.test("a current password without a new one changes nothing, and leaves no entry in the change log", async () => {
  await using app = await testApp();
  const { client, id } = await owner(app, quickHash(OLD));
  const count = async (): Promise<number> =>
    (await app.database.all(sql`SELECT id FROM object_changes`)).length;
  const before = await count();
  const response = await client(`${PATH}${id}/`, { method: "PATCH", body: { current_password: OLD } });
  assert.equal(response.status, 200, await response.text());
  assert.equal(await count(), before);
});
