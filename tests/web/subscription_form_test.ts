/** The form of a subscription: presets, and the preview of the next message. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
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
  const links = [...html.matchAll(/href="(\/subscriptions\/new\/\?name=[^"]*)"/g)].map(([, path = ""]) =>
    path.replaceAll("&amp;", "&")
  );
  assert.equal(links.length, 4);
  for (const link of links) {
    const filled = await browser.get(link);
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

Deno.test("the form and the page of a subscription count the same certificates, and the page has its next delivery and a test", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const counted = (html: string): string => /Matches [\d,]+ certificates?/.exec(textOf(html))?.[0] ?? "none";
  const form = await browser.post(FORM, { ...FIELDS, pick: "any" });
  const { chat } = seed.channels;
  await app.database.write((tx) =>
    tx.run(sql`UPDATE notification_channels SET enabled = 1 WHERE id = ${chat}`)
  );
  const { location } = await browser.post(FORM, { ...FIELDS, mode: "weekly", channel: String(chat) });
  const { html } = await browser.get(location);
  assert.notEqual(counted(html), "none");
  assert.equal(counted(form.html), counted(html));
  assert.match(textOf(html), /Next delivery \d{4}-\d\d-\d\d 08:00/);
  assert.match(html, new RegExp(`action="/notification-channels/${chat}/test/"`));
  assert.match(textOf((await browser.get("/subscriptions/")).html), /Mine .*expiring/);
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
  assert.match(
    await preview(),
    /At \d{4}-\d\d-\d\d 08:00 UTC ?, with your permissions, and without what .*expires in/,
  );
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

Deno.test("usual thresholds are ticked, others are typed in any form, and the form shows both again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE users SET email = 'chief@acme.example' WHERE username = 'chief'`)
  );
  const thresholds = ["30d", "14d", "45 days, 7 d; 33 %, 14d"];
  const { location } = await browser.post(FORM, { ...FIELDS, thresholds });
  const stored = async (): Promise<unknown> =>
    (await app.database.all(sql`SELECT json(thresholds) AS thresholds, json(recipients) AS recipients
      FROM subscriptions WHERE name = 'Mine'`))[0];
  assert.deepEqual(await stored(), { thresholds: '["30d","14d","45d","7d","33%"]', recipients: "[]" });
  const { html } = await browser.get(`${location}edit/`);
  assert.deepEqual(
    [...html.matchAll(/name="thresholds" value="([^"]*)" checked/g)].map(([, value]) => value),
    ["30d", "14d", "7d"],
  );
  assert.match(html, /Other thresholds<input type="text" name="thresholds" value="45d, 33%"/);
  assert.match(textOf((await browser.get(location)).html), /30 days before, .*33% of the lifetime left/);
  const wrong = await browser.post(FORM, { ...FIELDS, name: "Other", thresholds: ["30d", "soon"] });
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /name="thresholds" value="soon"/);
  assert.match(textOf(wrong.html), /not &quot;soon&quot;|not "soon"/);
});

Deno.test("recipients are the owners, the user and typed addresses, of channels that send e-mail", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(sql`UPDATE users SET email = 'chief@acme.example' WHERE username = 'chief'`)
  );
  const channel = String(seed.channels.mail);
  const { html } = await browser.get(FORM);
  assert.match(html, /value="owner"[^>]*><bdi>Owners of the certificates</);
  assert.match(html, /value="chief@acme\.example"[^>]*><bdi>Me \(chief@acme\.example\)</);
  const recipients = ["owner", "chief@acme.example", "ops@acme.example, web@acme.example"];
  const saved = await browser.post(FORM, { ...FIELDS, channel, recipients });
  assert.equal(saved.status, 303);
  assert.match(
    textOf((await browser.get(saved.location)).html),
    /owners of the certificates, chief@acme\.example, ops@acme\.example, web@acme\.example/,
  );
});

Deno.test("users without an e-mail address are warned before they create a subscription that cannot reach them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const warning = /You have no e-mail address/;
  const address = (email: string): Promise<unknown> =>
    app.database.write((tx) => tx.run(sql`UPDATE users SET email = ${email} WHERE username = 'chief'`));
  await address("");
  assert.match((await browser.get(FORM)).html, warning);
  assert.doesNotMatch((await browser.get(`${FORM}?channel=1`)).html, warning, "the channel sends elsewhere");
  // A script takes the warnings from the same form for the chosen channel.
  const notes = async (channel: string): Promise<string> => {
    const { html } = await browser.post(FORM, { ...FIELDS, channel, pick: "refresh" });
    return /<div id="channel-notes" data-in-place="channel user">.*?<\/div>/s.exec(html)?.[0] ?? "missing";
  };
  assert.match(await notes(""), warning);
  assert.doesNotMatch(await notes(String(seed.channels.chat)), /warn|missing/);
  const refused = await browser.post(FORM, FIELDS);
  assert.equal(refused.status, 400);
  assert.match(
    refused.html,
    /<select[^>]*name="channel"[^>]*aria-invalid="true"[^]*?<\/select>[^]{0,80}class="error"[^>]*>The user has no e-mail address/,
  );
  await address("chief@acme.example");
  assert.doesNotMatch((await browser.get(FORM)).html, warning);
});

Deno.test("without a mail server, the form and the page of a subscription warn that e-mail is not sent", async () => {
  const warning = /E-mail is not configured \(CERTMGR_SMTP_URL\), so messages are not sent\./;
  const { mail, chat } = seed.channels;
  for (const mailConfigured of [false, true]) {
    await using app = await testApp({ settings: { mailConfigured } });
    const browser = await browserOf(app);
    await app.database.write((tx) =>
      tx.run(sql`UPDATE users SET email = 'chief@acme.example' WHERE username = 'chief'`)
    );
    const warns = async (path: string): Promise<boolean> =>
      warning.test(textOf((await browser.get(path)).html));
    const { location } = await browser.post(FORM, FIELDS);
    assert.deepEqual(
      [
        await warns(FORM),
        await warns(location),
        await warns(`${FORM}?channel=${mail}`),
        await warns(`/notification-channels/${mail}/`),
      ],
      Array(4).fill(!mailConfigured),
    );
    const sent = await browser.post(FORM, { ...FIELDS, name: "Chat", channel: String(chat) });
    assert.deepEqual(
      [await warns(sent.location), await warns(`${FORM}?channel=${chat}`)],
      [false, false],
      "the channel does not send e-mail",
    );
    const reader = await browserOf(
      app,
      granted([{ types: ["certmgr.subscription"], actions: ["view", "add"] }]),
    );
    const { html } = await reader.get(FORM);
    assert.doesNotMatch(html, /CERTMGR_SMTP_URL/, "only superusers can change settings");
    assert.equal(/Ask an administrator to set it up/.test(html), !mailConfigured);
  }
});

Deno.test("the title of a delivery names its event and its subscription, or the channel that it tests", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const deliveries = await app.database.all<{ id: number; event: string; name: string; test: number }>(
    sql`SELECT d.id, d.event, COALESCE(s.name, c.name) AS name, d.subscription_id IS NULL AS test
      FROM notification_deliveries AS d LEFT JOIN subscriptions AS s ON s.id = d.subscription_id
      LEFT JOIN notification_channels AS c ON c.id = d.channel_id WHERE s.id IS NOT NULL OR c.id IS NOT NULL`,
  );
  assert.ok(deliveries.length > 0);
  for (const { id, event, name, test } of deliveries) {
    const { html } = await browser.get(`/notification-deliveries/${id}/`);
    const title = textOf(/<h1[^>]*>.*?<\/h1>/s.exec(html)?.[0] ?? "").trim();
    assert.equal(
      title.toLowerCase(),
      `${event.replaceAll("_", " ")} ${test ? "of" : "for"} ${name}`.toLowerCase(),
    );
  }
});
