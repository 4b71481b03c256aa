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
    expires_in: "never",
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

Deno.test("Tokens: the form offers lifetimes, and takes a date only together with the choice of one", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([], { username: "keeper" }));
  const now = app.clock.now();
  const day = 86_400_000;
  const TAKEN: readonly (readonly [expires_in: string, expires: string, stored: number | null])[] = [
    ["30", "", now + 30 * day],
    ["90", "", now + 90 * day],
    ["365", "", now + 365 * day],
    ["never", "", null],
    ["date", "2099-01-02T03:04:05", Date.UTC(2099, 0, 2, 3, 4, 5)],
  ];
  const { html } = await browser.get("/profile/");
  const select = /<select[^>]*name="expires_in".*?<\/select>/s.exec(html)?.[0] ?? "";
  assert.deepEqual(
    [...select.matchAll(/value="([^"]*)"/g)].map(([, value]) => value),
    TAKEN.map(([one]) => one)
      .toSorted((one, other) => select.indexOf(`"${one}"`) - select.indexOf(`"${other}"`)),
  );
  for (const [expires_in, expires, stored] of TAKEN) {
    const made = await browser.post("/profile/tokens/", { description: expires_in, expires_in, expires });
    assert.equal(made.status, 200, textOf(made.html));
    const [row] = await app.database.all<{ expires: number | null }>(
      sql`SELECT expires FROM tokens WHERE description = ${expires_in}`,
    );
    // Whole seconds.
    assert.equal(row?.expires, stored === null ? null : Math.floor(stored / 1_000) * 1_000, expires_in);
  }
  const REFUSED: readonly (readonly [fields: Record<string, string>, field: string, message: RegExp])[] = [
    [{}, "expires_in", /Choose "30 days", "90 days", "1 year", "On a date" or "Never"/],
    [{ expires_in: "60" }, "expires_in", /Choose "30 days"/],
    [{ expires_in: "date", expires: " " }, "expires", /Enter the date on which the token expires/],
    [{ expires_in: "30", expires: "2099-01-02T03:04" }, "expires", /Clear this date, or choose "On a date"/],
    [{ expires_in: "date", expires: "soon" }, "expires", /"soon"/],
  ];
  for (const [fields, field, message] of REFUSED) {
    const refused = await browser.post("/profile/tokens/", { description: "refused", ...fields });
    assert.equal(refused.status, 400);
    const [, error = ""] = new RegExp(`id="f-${field}-error"[^>]*>(.*?)</`, "s").exec(refused.html) ?? [];
    assert.match(textOf(error), message);
  }
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

Deno.test("the profile has sections, each with a heading and an explanation, and the theme is a choice of three", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/profile/");
  const sections = [...html.matchAll(/<section class="setting" aria-labelledby="([a-z]+)">/g)];
  assert.deepEqual(sections.map(([, id]) => id), [
    "account",
    "sessions",
    "tokens",
    "notifications",
    "display",
  ]);
  for (const [, id] of sections) {
    assert.match(html, new RegExp(`<h2 id="${id}">[^<]+</h2><p class="faint">[^<]+\\.</p>`));
  }
  assert.match(html, /value="auto"[^>]*aria-pressed="true"/);
  const changed = await browser.post("/theme/", { theme: "dark", next: "/profile/" });
  const cookie = changed.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  assert.match((await browser.get("/profile/", { cookie })).html, /value="dark"[^>]*aria-pressed="true"/);
});
