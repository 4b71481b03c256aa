/** Words and values of pages: one noun for each type, colors of tags, what a phone shows of checks. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { isolate } from "../../src/web/kit/components/mod.ts";
import { withComparison } from "../../src/web/kit/filters/filter_description.ts";
import { filterLabel } from "../../src/web/kit/filters/filter_description.ts";
import { views } from "../../src/web/pages/inventory/standard_views.ts";
import { superuser } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { metadata, storeCertificates } from "../support/stored.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

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

Deno.test("A narrow list of checks has the severity, the policy and the owner under the certificate", async () => {
  await using app = await testApp();
  const { html } = await (await browserOf(app)).get("/checks/?result=fail");
  const [, under = ""] = /<div class="narrow">(.*?)<\/td>/s.exec(html) ?? [];
  assert.match(under, /critical.*Long keys.*Network team/s);
});

Deno.test("The line under a name has only parts with content", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  let parts = 0;
  for (
    const path of [
      "/certificates/?show=all",
      "/devices/",
      "/services/",
      "/tenants/",
      "/endpoints/",
      "/checks/",
    ]
  ) {
    const { html } = await browser.get(path);
    for (const [, line = ""] of html.matchAll(/<div class="narrow">(.*?)<\/div>/gs)) {
      for (const part of line.split(/(?<=^|<\/span>)<span(?: class="folded")?>/).slice(1)) {
        assert.match(part.replace(/<[^>]*>/g, ""), /\S/, `${path}: ${line}`);
        parts++;
      }
    }
  }
  assert.ok(parts > 0);
});

/** Returns the lines under the names of a list, by name, as text. */
async function linesOf(browser: Browser, path: string): Promise<Map<string, string>> {
  const { html } = await browser.get(path);
  const text = (part = ""): string => part.replaceAll(/<[^>]*>/g, "");
  const rows = html.matchAll(/<td class="first">(.*?)<\/a>(?:<div class="narrow">(.*?)<\/div>)?<\/td>/gs);
  return new Map([...rows].map(([, name, line]) => [text(name), text(line)]));
}

Deno.test("The line under a certificate names a bad chain and an unusual status, and nothing usual", async () => {
  await using app = await testApp();
  await storeCertificates(app, [
    metadata(1, { common_name: "bad.example" }),
    metadata(2, { common_name: "good.example" }),
    metadata(3, { common_name: "gone.example", status: "revoked" }),
  ]);
  const set = (name: string, chain: string): Promise<unknown> =>
    app.database.write((tx) =>
      tx.run(sql`UPDATE certificates SET chain_status = ${chain} WHERE common_name = ${name}`)
    );
  await set("bad.example", "invalid_signature");
  await set("good.example", "valid");
  await set("gone.example", "incomplete");
  const lines = await linesOf(await browserOf(app), "/certificates/?show=all&limit=0");
  assert.match(lines.get("bad.example") ?? "", /invalid signature$/);
  assert.doesNotMatch(lines.get("good.example") ?? "valid", /valid|active/);
  assert.match(lines.get("gone.example") ?? "", /revoked/);
  assert.doesNotMatch(lines.get("gone.example") ?? "", /chain/, "it needs no chain any more");
});

Deno.test("The line under a user names superusers, inactive users and superusers without a second factor", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, superuser({ username: "root" }));
  await browser.post("/users/new/", { username: "former", password: "a long password 1" });
  const lines = await linesOf(browser, "/users/");
  assert.match(lines.get("root") ?? "", /superuser.*no second factor/);
  assert.match(lines.get("former") ?? "", /inactive/);
  assert.doesNotMatch(lines.get("former") ?? "", /superuser|factor/);
});

Deno.test("The line under a webhook says that it is disabled, and nothing if it is not", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [name, enabled] of [["on", { enabled: "true" }], ["off", {}]] as const) {
    const answer = await browser.post("/webhooks/new/", {
      name,
      ...enabled,
      payload_url: "https://hooks.example/",
      events: "created",
      object_types: "certmgr.certificate",
    });
    assert.ok(answer.status < 400, answer.html);
  }
  const lines = await linesOf(browser, "/webhooks/");
  assert.match(lines.get("off") ?? "", /^disabled/);
  assert.doesNotMatch(lines.get("on") ?? "disabled", /abled/);
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

Deno.test("the page that would delete the last superuser, or oneself, says why it does not", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [user] = await app.database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'chief'`);
  const own = `/users/${user?.id}/`;
  const { html } = await browser.get(`${own}delete/`);
  assert.match(html, /<h1>chief cannot be deleted<\/h1>.*You cannot delete your own account\. Ask another/s);
  assert.doesNotMatch(html, /class="danger"/);
  await app.database.write((tx) => tx.run(sql`UPDATE users SET is_superuser = 0 WHERE username <> 'chief'`));
  assert.match((await browser.get(`${own}delete/`)).html, /At least one active superuser must remain\./);
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
