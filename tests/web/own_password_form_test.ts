/** The form of an account is no way around the current password. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { superuser } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf } from "./imports/browser.ts";

Deno.test("the form of one's account refuses a new password and names the profile, and changes other fields", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, superuser({ username: "owner" }));
  const hash = async (): Promise<unknown> =>
    (await app.database.all(sql`SELECT id, password_hash FROM users WHERE username = 'owner'`))[0];
  const before = await hash() as { id: number };
  const form = { username: "owner", is_active: "true", is_superuser: "true" };
  const path = `/users/${before.id}/edit/`;
  const refused = await browser.post(path, { ...form, password: "another horse battery" });
  assert.equal(refused.status, 400);
  assert.match(
    refused.html,
    /Required to change your own password\. On the pages, change it on your profile\./,
  );
  assert.deepEqual(await hash(), before);
  assert.equal((await browser.post(path, { ...form, first_name: "Olga" })).status, 303);
});
