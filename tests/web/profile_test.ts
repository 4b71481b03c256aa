/** The profile of a user: tokens and sessions. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

Deno.test("Tokens: a token is shown as expired from the time at which it is refused", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([], { username: "keeper" }));
  const made = await browser.post("/profile/tokens/", {
    description: "short-lived",
    write_enabled: "true",
  });
  assert.equal(made.status, 200);
  const now = app.clock.now();
  for (
    const [expires, enabled, access] of [
      [null, 1, "read and write"],
      [now + 1_000, 1, "read and write"],
      [now, 1, "expired"],
      [now - 1_000, 1, "expired"],
      [now - 1_000, 0, "disabled"],
    ] as const
  ) {
    await app.database.write((tx) =>
      tx.run(
        sql`UPDATE tokens SET expires = ${expires}, enabled = ${enabled} WHERE description = 'short-lived'`,
      )
    );
    const { html } = await browser.get("/profile/");
    const row = html.split("<tr>").find((one) => one.includes("short-lived")) ?? "";
    assert.equal(textOf(/<span class="badge[^>]*>.*?<\/span>/.exec(row)?.[0] ?? "").trim(), access);
  }
});

Deno.test("Tokens: the form proposes a date of expiry; without one the token does not expire", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([], { username: "keeper" }));
  const proposed = new Date(app.clock.now() + 30 * 86_400_000).toISOString().slice(0, 16);
  const { html } = await browser.get("/profile/");
  assert.match(html, new RegExp(`<input[^>]*name="expires"[^>]*value="${proposed}"`));
  for (const [expires, stored] of [["", null], ["2099-01-02T03:04", Date.UTC(2099, 0, 2, 3, 4)]] as const) {
    const made = await browser.post("/profile/tokens/", { description: `until "${expires}"`, expires });
    assert.equal(made.status, 200, textOf(made.html));
    const [row] = await app.database.all<{ expires: number | null }>(
      sql`SELECT expires FROM tokens WHERE description = ${`until "${expires}"`}`,
    );
    assert.equal(row?.expires, stored);
  }
  const refused = await browser.post("/profile/tokens/", { description: "refused", expires: "soon" });
  assert.equal(refused.status, 400);
  assert.match(textOf(/id="f-expires-error"[^>]*>(.*?)</s.exec(refused.html)?.[1] ?? ""), /"soon"/);
});

Deno.test("the display_url of a token leads to the profile of its user, for others to the page of the user", async () => {
  await using app = await testApp();
  const keeper = granted([], { username: "keeper" });
  const { results: [token] } = await (await (await app.as(keeper))("/api/users/tokens/")).json();
  const path = new URL(token.display_url).pathname;
  assert.equal((await (await browserOf(app, keeper)).get(path)).location, "/profile/#tokens");
  assert.equal((await (await browserOf(app)).get(path)).location, `/users/${token.user.id}/`);
  const stranger = await browserOf(app, granted([], { username: "stranger" }));
  assert.deepEqual([(await stranger.get(path)).status, (await stranger.get("/tokens/999999/")).status], [
    404,
    404,
  ]);
});

Deno.test("the profile has sections, each with a heading and an explanation", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/profile/");
  const sections = [...html.matchAll(/<section class="setting" aria-labelledby="([a-z]+)">/g)];
  assert.deepEqual(sections.map(([, id]) => id), [
    "account",
    "sessions",
    "tokens",
    "display",
  ]);
  for (const [, id] of sections) {
    assert.match(html, new RegExp(`<h2 id="${id}">[^<]+</h2><p class="faint">[^<]+\\.</p>`));
  }
});
