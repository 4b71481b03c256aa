/** What a form shows before it creates an object is what it creates. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { type Browser, browserOf, textOf } from "./imports/browser.ts";

/** Returns the value of the hidden field of a page that has shown something. */
function shownIn(html: string): string {
  return /name="shown" value="([^"]+)"/.exec(html)?.[1] ?? "";
}

async function incidents(browser: Browser): Promise<number> {
  return [...(await browser.get("/incidents/")).html.matchAll(/href="\/incidents\/\d+\/"/g)].length;
}

Deno.test("an incident is not created for other criteria than those whose impact was shown", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const path = "/incidents/new/?kind=other";
  const form = (issuers: string, more: Record<string, string>): Record<string, string> => ({
    name: "Broken CA",
    kind: "other",
    "criteria.issuers": issuers,
    ...more,
  });
  const before = await incidents(browser);
  const first = await browser.post(path, form("CN=Nobody", { preview: "true" }));
  assert.match(first.html, /0 certificates are affected/);
  assert.match(first.html, /Show impact<\/button>/);
  const shown = shownIn(first.html);
  const changed = await browser.post(path, form("CN=Somebody else", { shown }));
  assert.equal(changed.status, 400);
  assert.match(changed.html, /Not created: you have changed the form since this was shown/);
  assert.equal(await incidents(browser), before);
  assert.notEqual(shownIn(changed.html), shown);
  // The second time it is what was shown.
  const created = await browser.post(path, form("CN=Somebody else", { shown: shownIn(changed.html) }));
  assert.equal(created.status, 303, created.html);
  assert.equal(await incidents(browser), before + 1);
  // Without scripts and without having looked at the impact, it is created at once.
  assert.equal((await browser.post(path, form("CN=Third", { name: "Another" }))).status, 303);
});

Deno.test("the impact of part of an issuer's name offers the complete names", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const impactOf = async (issuer: string): Promise<string> => {
    const form = { name: "Broken CA", kind: "other", "criteria.issuers": issuer, preview: "true" };
    return (await browser.post("/incidents/new/?kind=other", form)).html;
  };
  const [row] = await app.database.all<{ issuer: string }>(sql`SELECT issuer FROM certificates WHERE id = 1`);
  const whole = row?.issuer ?? "";
  const part = await impactOf(whole.slice(3, -1).toUpperCase());
  assert.match(part, /0 certificates are affected/);
  assert.ok(textOf(part).includes(whole), textOf(part));
  assert.doesNotMatch(await impactOf("CN=Nobody at all"), /must be complete/);
  assert.doesNotMatch(await impactOf(whole), /must be complete/);
  // Longer than a filter may be.
  assert.match(await impactOf("x".repeat(5_000)), /0 certificates are affected/);
});
