/** Words and values of pages: one noun for each type, colors of tags. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { isolate } from "../../src/web/kit/components/mod.ts";
import { filterLabel, filterWords, withComparison } from "../../src/web/kit/filters/filter_description.ts";
import { views } from "../../src/web/pages/inventory/standard_views.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const TITLES = [
  ["/csrs/new/", "New signing request"],
  ["/authorities/new/", "New authority"],
  ["/policies/new/", "New policy"],
] as const;
for (const [path, title] of TITLES) {
  Deno.test(`${path} has the title "${title}", as the list has`, async () => {
    await using app = await testApp();
    const { html } = await (await browserOf(app)).get(path);
    assert.match(html, new RegExp(`<h1>${title}</h1>`));
  });
}

Deno.test("An empty list says once that it is empty", () => {
  for (const { resource, empty } of views) {
    assert.equal(empty.split("No ").length - 1, 1, `${resource.label}: ${empty}`);
  }
});

Deno.test("A tag shows its color as a square, in lists of tags and where it is used", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const path of ["/tags/", `/certificates/${seed.certificates.acmeWeb}/`]) {
    assert.match(
      (await browser.get(path)).html,
      /<rect width="10" height="10" rx="2" fill="#[0-9a-f]{6}"/,
      path,
    );
  }
});

Deno.test("right-to-left characters in a name do not reorder the headings that contain it", async () => {
  assert.equal(isolate("www.example.com"), "www.example.com");
  assert.equal(isolate("אב"), "\u2068אב\u2069");
  assert.equal(isolate("\u202egnp"), "\u2068\u202egnp\u2069");
  assert.equal(isolate("\u2069x"), "\u2068x\u2069", "a name cannot close the isolate");
  assert.equal(isolate("\u2066x"), "\u2068\u2066x\u2069\u2069", "nor leave its own one open");
  await using app = await testApp();
  const browser = await browserOf(app);
  const created = await browser.post("/tags/new/", { name: "\u202egnp", slug: "turned", color: "ffffff" });
  const path = created.headers.get("location") as string;
  const { html } = await browser.get(`${path}edit/`);
  assert.match(html, /<h1>Edit \u2068\u202egnp\u2069<\/h1>/);
});

Deno.test("a page that cannot delete the last superuser, or oneself, says why", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'chief'`);
  const refused = async (): Promise<string> => {
    const { headers } = await browser.post(`/users/${user?.id}/delete/`, {});
    const flash = headers.getSetCookie().find((one) => one.startsWith("certmgr_flash=")) ?? "";
    return decodeURIComponent(flash);
  };
  assert.match(await refused(), /You cannot delete your own account\. Ask another/);
  await app.database.write((tx) => tx.run(sql`UPDATE users SET is_superuser = 0 WHERE username <> 'chief'`));
  assert.match(await refused(), /At least one active superuser must remain\./);
});

Deno.test("filters of numbers are not worded like those of dates", () => {
  assert.deepEqual(
    [
      filterWords("key_size__lt", "3072"),
      filterWords("key_size__lte", "3072"),
      filterWords("lifetime_days__gt", "398"),
      filterWords("lifetime_days__gte", "398"),
      filterWords("valid_from__lt", "2026-01-01"),
      filterWords("key_size", "3072"),
    ],
    [
      "Key size less than 3072",
      "Key size at most 3072",
      "Lifetime days more than 398",
      "Lifetime days at least 398",
      "Valid from before 2026-01-01",
      "Key size: 3072",
    ],
  );
});

const LABELS = [
  ["valid_from__gte", "Valid from on or after"],
  ["valid_from__lte", "Valid from on or before"],
  ["certificate__valid_from__gte", "Certificate valid from on or after"],
  ["certificate__valid_to__lte", "Certificate valid to on or before"],
  ["valid_from__lt", "Valid from before"],
  ["valid_to__gte", "Expires from"],
  ["key_size__gte", "Key size from"],
  ["created__lte", "Created up to"],
] as const;
Deno.test("the label of a filter has no preposition twice", async () => {
  for (const [name, label] of LABELS) assert.equal(filterLabel(name), label);
  assert.equal(withComparison("Rented from", "from"), "Rented from on or after");
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/certificates/?valid_from__gte=2026-01-01");
  assert.match(textOf(html), /Valid from on or after 2026-01-01/);
  assert.doesNotMatch(textOf(html), /from from/i);
});
