/** The form of a subscription: presets, and the preview of the next message. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const FORM = "/subscriptions/new/";
const FIELDS = {
  name: "Mine",
  enabled: "true",
  events: ["expiring"],
  thresholds: "3000d",
  filter: "",
  mode: "daily",
  at: "08:00",
  time_zone: "UTC",
};

Deno.test("each preset fills a form that can be saved as it is", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE users SET email = 'chief@acme.example' WHERE username = 'chief'`)
  );
  const { html } = await browser.get(FORM);
  const links = [...html.matchAll(/href="(\/subscriptions\/new\/\?preset=[^"]*)"/g)].map(([, path = ""]) =>
    path.replaceAll("&amp;", "&")
  );
  assert.equal(links.length, 4);
  for (const link of links) {
    const filled = await browser.get(link);
    assert.match(textOf(filled.html), /Filled in: /);
    const query = new URLSearchParams(link.split("?")[1]);
    const values = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
    assert.match(filled.html, new RegExp(`name="name"[^>]* value="${query.get("name")}"`));
    const saved = await browser.post(FORM, { ...FIELDS, ...values });
    assert.equal(
      saved.status,
      303,
      textOf(/class="error-summary.*?<\/ul>|class="error".*?<\/small>/s.exec(saved.html)?.[0] ?? saved.html),
    );
  }
});

Deno.test("the next message is previewed with the values of the form, and nothing is stored", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const stored = (): Promise<unknown> =>
    app.database.all(sql`SELECT (SELECT count(*) FROM subscriptions) AS subscriptions,
      (SELECT count(*) FROM notification_deliveries) AS deliveries, (SELECT count(*) FROM notices) AS notices`);
  const before = await stored();
  const preview = async (more: Record<string, string | string[]> = {}): Promise<string> => {
    const { html, status } = await browser.post(FORM, { ...FIELDS, ...more, pick: "preview" });
    assert.equal(status, 200);
    return textOf(/id="next-message".*?<\/fieldset>/s.exec(html)?.[0] ?? "");
  };
  assert.match(await preview(), /At \d{4}-\d\d-\d\d 08:00 UTC ?, with your permissions: .*expires in/);
  assert.match(await preview({ filter: "tag=no-such-tag" }), /Choose events, and correct|Nothing to report/);
  assert.match(await preview({ filter: "common_name=nowhere" }), /Nothing to report at .*08:00/);
  for (const wrong of [{ at: "25:00" }, { events: [] }, { thresholds: "soon" }, { filter: "nonsense=1" }]) {
    assert.match(await preview(wrong), /Choose events, and correct the values above/, JSON.stringify(wrong));
  }
  assert.deepEqual(await stored(), before);
  assert.doesNotMatch((await browser.get(FORM)).html, /with your permissions/);
});

Deno.test("the preview has only what the user may view", async () => {
  await using app = await testApp();
  const grants = [
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id: 1 } },
    { types: ["certmgr.subscription"], actions: ["view", "add"] },
  ];
  const browser = await browserOf(app, { username: "limited", grants });
  const { html } = await browser.post(FORM, { ...FIELDS, pick: "preview" });
  const shown = /id="next-message".*?<\/fieldset>/s.exec(html)?.[0] ?? "";
  assert.equal([...shown.matchAll(/<li>/g)].length, 1, textOf(shown));
});
