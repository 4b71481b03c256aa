/** Saving a webhook or a channel, and sending a test message with it. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { testApp } from "../support/app.ts";
import { browserOf, textOf } from "./imports/browser.ts";

const WEBHOOK = {
  name: "Tickets",
  payload_url: "https://tickets.example/hook",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  enabled: "true",
  events: ["created"],
  object_types: ["certmgr.certificate"],
};

Deno.test("a form saves a webhook and queues a test message, except for a disabled webhook", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const messages = async (): Promise<number> =>
    (await app.database.all<{ count: number }>(sql`SELECT count(*) AS count FROM webhook_deliveries`))[0]
      ?.count ?? 0;
  const before = await messages();
  const plain = await browser.post("/webhooks/new/", WEBHOOK);
  assert.equal(plain.status, 303);
  assert.equal(await messages(), before);

  const tried = await browser.post(`${plain.location}edit/`, {
    ...WEBHOOK,
    version: versionOf((await browser.get(`${plain.location}edit/`)).html),
    then: "trial",
  });
  assert.equal(tried.status, 303, textOf(tried.html));
  assert.match(decodeURIComponent(tried.headers.get("set-cookie") ?? ""), /saved\. Test message queued\./);
  assert.equal(await messages(), before + 1);

  const { enabled: _, ...disabled } = WEBHOOK;
  const refused = await browser.post("/webhooks/new/", { ...disabled, name: "Off", then: "trial" });
  assert.equal(refused.status, 303);
  assert.match(decodeURIComponent(refused.headers.get("set-cookie") ?? ""), /No test message was sent: /);
  assert.equal(await messages(), before + 1);
});

Deno.test("the form of a webhook previews a message, about its first event and with its template", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match(
    (await browser.get("/webhooks/new/")).html,
    /Preview of a message.*&quot;event&quot;: &quot;created&quot;/s,
  );
  assert.match(
    (await browser.get("/webhooks/new/?events=certificate_expiring")).html,
    /Preview of a message.*&quot;event&quot;: &quot;certificate_expiring&quot;/s,
  );
  const preview = async (body_template: string): Promise<string> =>
    textOf(
      (await browser.post("/webhooks/new/", { events: ["created"], body_template, pick: "preview" })).html,
    );
  assert.match(
    await preview('{"text": "{{data.common_name}} {{event}}"}'),
    /"text": "www\.example\.com created"/,
  );
  assert.match(await preview('{"text": {{oops'), /Invalid template: /);
  assert.match(await preview("{{event}}"), /Expected a template that renders JSON/);
});

Deno.test("a form with errors does not offer to begin again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match((await browser.get("/webhooks/new/")).html, /Every change of certificates/);
  const { status, html } = await browser.post("/webhooks/new/", { name: "Mine", payload_url: "" });
  assert.equal(status, 400);
  assert.doesNotMatch(html, /Every change of certificates/);
});

Deno.test("the pages of a webhook and of a permission describe conditions in words", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const webhook = await browser.post("/webhooks/new/", {
    ...WEBHOOK,
    conditions: '{"status": ["active", "pending"], "common_name__iew": ".example"}',
  });
  assert.match(
    textOf((await browser.get(webhook.location)).html),
    /Conditions Status: active or pending and Common name ends with \.example/,
  );
  const permission = await browser.post("/permissions/new/", {
    name: "Acme",
    object_types: ["certmgr.certificate"],
    actions: ["view"],
    constraints: '[{"tenant": null}, {"tenant__slug": "acme"}]',
  });
  assert.match(
    textOf((await browser.get(permission.location)).html),
    /Only where Tenant: none, or Tenant slug: acme/,
  );
});

Deno.test("the form of a channel explains the secret of its kind, and its page has its latest messages", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const form = textOf((await browser.get("/notification-channels/new/?kind=pagerduty")).html);
  assert.match(form, /The routing key, also called integration key\. In PagerDuty: /);
  assert.doesNotMatch(form, /Opsgenie/);
  const { location, status } = await browser.post("/notification-channels/new/", {
    name: "Phones",
    kind: "ntfy",
    "settings.topic": "certs",
    enabled: "true",
    then: "trial",
  });
  assert.equal(status, 303);
  const page = textOf((await browser.get(location)).html);
  assert.match(page, /Latest messages Time Event State Result .* test /);
});

function versionOf(html: string): string {
  return (/name="version" value="([^"]*)"/.exec(html)?.[1] ?? "").replaceAll("&quot;", '"');
}
