/** The list and the page of notification channels. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const KEY = "T0/B0/secretkey";

Deno.test("The list of channels has their addresses without keys, and their subscriptions by one statement", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const form = await browser.get("/notification-channels/new/?kind=slack");
  assert.match(textOf(form.html), /It looks like https:\/\/hooks\.slack\.com\/services\/T\w+\/B\w+\/key\./);
  const made = await browser.post("/notification-channels/new/", {
    name: "Operations",
    kind: "slack",
    "settings.url": `https://hooks.slack.com/services/${KEY}`,
    enabled: "true",
  });
  assert.equal(made.status, 303, textOf(made.html));
  const id = Number(/\d+/.exec(made.location)?.[0]);
  const page = await browser.get(made.location);
  assert.match(textOf(page.html), /Kind Slack .*URL https:\/\/hooks\.slack\.com\/…/);
  assert.doesNotMatch(page.html, new RegExp(`${KEY}|\\{&quot;url`));
  await app.database.write((tx) =>
    tx.runAll([
      sql`INSERT INTO subscriptions (user_id, channel_id, name, mode, next_run, created, last_updated)
        VALUES (1, ${id}, 'One', 'daily', 0, 0, 0), (1, ${id}, 'Two', 'daily', 0, 0, 0)`,
    ])
  );
  const rowOf = (html: string): string =>
    textOf(/<tr[^>]*>(?:(?!<\/tr>).)*Operations.*?<\/tr>/s.exec(html)?.[0] ?? "");
  const { html } = await browser.get("/notification-channels/");
  assert.match(rowOf(html), /Slack.*https:\/\/hooks\.slack\.com\/….*2/);
  assert.doesNotMatch(html, new RegExp(KEY));
  assert.match(html, new RegExp(`<a href="/subscriptions/\\?channel_id=${id}"[^>]*>2</a>`));
  const blind = await browserOf(
    app,
    granted([{ types: ["certmgr.notificationchannel"], actions: ["view"] }]),
  );
  assert.doesNotMatch((await blind.get("/notification-channels/")).html, /channel_id=/);
  const statements = async (path: string): Promise<number> => {
    const before = app.database.statements;
    await browser.get(path);
    return app.database.statements - before;
  };
  await statements("/notification-channels/?columns=kind");
  const plain = await statements("/notification-channels/?columns=kind");
  assert.equal(await statements("/notification-channels/?columns=subscriptions"), plain + 1);
});

const INVALID: readonly (readonly [url: string, message: RegExp])[] = [
  ["hooks.slack", /Enter a valid URL, such as https:\/\/example\.org\/path\./],
  ["https://hooks.example:0/x", /Nothing can be sent to port 0\. Use a port from 1 to 65535\./],
  [
    `https://${"h".repeat(64)}.example/`,
    /The part "h{20}…" of the host has 64 characters\. Expected at most 63\./,
  ],
];
for (const [url, message] of INVALID) {
  Deno.test(`The URL ${url.slice(0, 30)} of a channel or a webhook has an error at its field that says what is expected`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const channel = await browser.post("/notification-channels/new/", {
      name: "Operations",
      kind: "slack",
      "settings.url": url,
      enabled: "true",
    });
    const webhook = await browser.post("/webhooks/new/", {
      name: "Operations",
      payload_url: url,
      object_types: "certmgr.certificate",
      events: "created",
    });
    for (const [{ status, html }, field] of [[channel, "settings.url"], [webhook, "payload_url"]] as const) {
      assert.equal(status, 400);
      const [, error = ""] = new RegExp(`id="f-${field}-error"[^>]*>(.*?)</`, "s").exec(html) ?? [];
      assert.match(textOf(error), message);
    }
  });
}
