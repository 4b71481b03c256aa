/** Forms and pages of webhooks and channels: previews, conditions in words, messages. */

import assert from "node:assert/strict";
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

Deno.test("the form of a webhook previews a message, about its first event", async () => {
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
});

Deno.test("a form with errors does not offer to begin again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  assert.match((await browser.get("/subscriptions/new/")).html, /Weekly summary/);
  const { status, html } = await browser.post("/subscriptions/new/", { name: "" });
  assert.equal(status, 400);
  assert.doesNotMatch(html, /Weekly summary/);
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
  });
  assert.equal(status, 303);
  await browser.post(`${location}test/`, {});
  const page = textOf((await browser.get(location)).html);
  assert.match(page, /Latest messages Time Event State Result .* test /);
});
