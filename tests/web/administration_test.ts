/** The pages of webhooks, permissions, the change log, calendar feeds and compliance. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { auditor, granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { seed } from "../support/seed.ts";
import { type Browser, browserOf, type Fields, textOf } from "./imports/browser.ts";

const HOOK = {
  name: "Pager",
  enabled: "true",
  object_types: ["certmgr.certificate"],
  events: ["created", "certificate_expiring"],
  payload_url: "https://hooks.acme.example/",
};

Deno.test("Webhooks: a generated secret is shown once; a given one is not shown", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const made = await browser.post("/webhooks/new/", HOOK);
  assert.equal(made.status, 200);
  const secret = /data-copy-source[^>]*>(whsec_[^<]+)</.exec(made.html)?.[1] as string;
  const path = /href="(\/webhooks\/\d+\/)"/.exec(made.html)?.[1] as string;
  for (const page of ["", "edit/"]) {
    const { status, html } = await browser.get(path + page);
    assert.equal(status, 200);
    assert(!html.includes(secret));
  }
  const given = { ...HOOK, name: "Other", secret: "GivenSecretOfSomebody" };
  const { html } = await browser.post("/webhooks/new/", given);
  assert(!html.includes(given.secret));
});

Deno.test("Webhooks: a test is sent and shown; a delivered message can be sent again; a disabled webhook is refused with the reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const disabled = await browser.get(`/webhooks/${seed.webhooks.inventory}/`);
  assert.doesNotMatch(disabled.html, /Send test/);
  for (const action of [`/webhooks/${seed.webhooks.inventory}/test/`, "/webhook-deliveries/1/redeliver/"]) {
    const { status, location, headers } = await browser.post(action);
    assert.deepEqual([status, location], [303, action.replace(/[a-z]+\/$/, "")]);
    assert.match(decodeURIComponent(headers.get("set-cookie") ?? ""), /error:The webhook is disabled/);
  }
  await app.database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  assert.match((await browser.get(`/webhooks/${seed.webhooks.inventory}/`)).html, /Send test/);
  const { location } = await browser.post(`/webhooks/${seed.webhooks.inventory}/test/`);
  assert.equal(location, `/webhooks/${seed.webhooks.inventory}/`);
  const shown = await browser.get(location);
  assert.match(textOf(shown.html), /Latest messages .*Time Event State Result .* test pending/);
  assert.match(shown.html, /<section id="messages"[^>]* data-refresh/);
  const sent = await browser.get("/webhook-deliveries/3/");
  assert.match(textOf(sent.html), /test: webhook 1.*The message is being sent\..*Message .*"event": "test"/);
  assert.doesNotMatch(sent.html, /Redeliver/);
  assert.match((await browser.get("/webhook-deliveries/1/")).html, /Redeliver/);
  assert.equal((await browser.post("/webhook-deliveries/1/redeliver/")).location, "/webhook-deliveries/1/");
  assert.match(textOf((await browser.get("/webhook-deliveries/1/")).html), /State pending/);
  const pending = await browser.get("/webhook-deliveries/?state=pending&webhook_id=1&event=test");
  assert.equal(pending.html.match(/href="\/webhook-deliveries\/\d+\/"/g)?.length, 1);
});

Deno.test("Webhooks: the list of deliveries shows when a waiting message is sent again", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE webhook_deliveries SET state = 'pending', attempts = 2, failure = 'refused', error = 'The receiver answered 500.', next_attempt = ${
        Date.UTC(2026, 5, 16, 7, 30)
      } WHERE id = 1`,
    )
  );
  const { html } = await browser.get("/webhook-deliveries/");
  assert.match(html, /<th[^>]*>(<a [^>]*>)?Next attempt</);
  assert.equal(html.match(/2026-06-16 07:30 UTC<\/time>/g)?.length, 1);
  await app.database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  const waiting = textOf((await browser.get("/webhook-deliveries/1/")).html);
  assert.match(waiting, /Send now.*The last attempt failed\. The message will be sent again\./);
  const { headers } = await browser.post("/webhook-deliveries/1/redeliver/");
  assert.doesNotMatch(decodeURIComponent(headers.get("set-cookie") ?? ""), /error:/);
});

Deno.test('Webhooks: "Send test" and "Redeliver" are shown to callers who may change the webhook', async () => {
  await using app = await testApp();
  await app.database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
  const browser = await browserOf(
    app,
    granted([
      { types: ["extras.webhook", "extras.webhookdelivery"], actions: ["view"] },
      { types: ["extras.webhook"], actions: ["change"], constraints: { id: 2 } },
    ]),
  );
  const offered = async (path: string): Promise<boolean> =>
    /Send test|Redeliver/.test((await browser.get(path)).html);
  assert.deepEqual([await offered("/webhooks/1/"), await offered("/webhooks/2/")], [false, true]);
  await app.database.write((tx) => tx.run(sql`UPDATE webhook_deliveries SET webhook_id = 1 WHERE id = 1`));
  assert.equal(await offered("/webhook-deliveries/1/"), false);
  await app.database.write((tx) => tx.run(sql`UPDATE webhook_deliveries SET webhook_id = 2 WHERE id = 1`));
  assert.equal(await offered("/webhook-deliveries/1/"), true);
});

Deno.test("Webhooks: the page of a webhook that was disabled or paused by the service says so", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE webhooks SET enabled = id <> 1, disabled_reason = CASE id WHEN 1 THEN 'It failed <b>50</b> times.' ELSE '' END,
      probe_at = CASE id WHEN 2 THEN ${app.clock.now()} END`,
    )
  );
  const { html } = await browser.get("/webhooks/1/");
  assert.match(textOf(html), /Disabled automatically: It failed <b>50<\/b> times\. Fix the receiver/);
  assert.doesNotMatch(html, /<b>50/);
  assert.match(textOf((await browser.get("/webhooks/2/")).html), /Many messages in a row have failed/);
  assert.doesNotMatch(
    textOf((await browser.get("/webhooks/3/")).html),
    /have failed|Disabled/,
  );
});

Deno.test("Webhooks: a disabled one is enabled by a button on its page, by those who may change it", async () => {
  await using app = await testApp();
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE webhooks SET enabled = 0, failure_count = 50, disabled_reason = 'Broken.' WHERE id <> 3`,
    )
  );
  const button = (id: number): RegExp => new RegExp(`action="/webhooks/${id}/enable/".*?>Enable<`, "s");
  const limited = await browserOf(
    app,
    granted([
      { types: ["extras.webhook"], actions: ["view"] },
      { types: ["extras.webhook"], actions: ["change"], constraints: { id: 2 } },
    ]),
  );
  const hidden = (await limited.get("/webhooks/1/")).html;
  assert.match(textOf(hidden), /Disabled automatically: Broken\./);
  assert.doesNotMatch(hidden, button(1));
  assert.equal((await limited.post("/webhooks/1/enable/")).status, 404);
  assert.match((await limited.get("/webhooks/2/")).html, button(2));
  const { location, headers } = await limited.post("/webhooks/2/enable/");
  assert.equal(location, "/webhooks/2/");
  assert.match(decodeURIComponent(headers.get("set-cookie") ?? ""), /success:Webhook enabled\./);
  assert.deepEqual(
    await app.database.all(
      sql`SELECT enabled, failure_count, disabled_reason FROM webhooks WHERE id < 3 ORDER BY id`,
    ),
    [
      { enabled: 0, failure_count: 50, disabled_reason: "Broken." },
      { enabled: 1, failure_count: 0, disabled_reason: "" },
    ],
  );
  assert.doesNotMatch((await limited.get("/webhooks/2/")).html, /Disabled|enable\//);
  const viewer = await browserOf(app, auditor());
  assert.equal((await viewer.post("/webhooks/1/enable/")).status, 403);
});

/** Returns what the form of a permission reports about its constraints, as a script that sends it while a user types. */
async function checked(
  browser: Browser,
  fields: Fields,
): Promise<{ status: number; errors: string; matches: string }> {
  const { status, html } = await browser.post("/permissions/new/", { ...fields, pick: "refresh" });
  const [, wrong, texts = ""] =
    /id="constraint-help"[^>]*><div class="flash( error)?" role="status">(.*?)<\/div>/s.exec(html) ?? [];
  const text = textOf(texts.replaceAll("</p>", "\n")).trim();
  return { status, errors: wrong === undefined ? "" : text, matches: wrong === undefined ? text : "" };
}

const CONSTRAINTS: [constraints: string, types: string[], errors: RegExp | null][] = [
  ['{"tenant__slug": "acme"}', ["dcim.device", "certmgr.certificate"], null],
  ["", ["dcim.device"], null],
  ["[]", ["dcim.device"], null],
  ["{", ["dcim.device"], /^Expected JSON\.$/],
  ['"text"', ["dcim.device"], /^Expected an object of filters/],
  [
    '{"algorithm": "rsa"}',
    ["dcim.device", "certmgr.certificate"],
    /^dcim\.device: “algorithm”: Unknown filter/,
  ],
  ['{"name__regex": "a+"}', ["dcim.device"], /Regular expressions cannot be used/],
  ['{"__proto__": 1}', ["dcim.device"], /__proto__/],
  ['{"nothing": 1}', ["no.such.type"], null],
];
Deno.test("Permissions: constraints are validated while they are typed, in the same way as when they are saved", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const [constraints, types, expected] of CONSTRAINTS) {
    const { status, errors } = await checked(browser, { constraints, object_types: types });
    assert.equal(status, 200, constraints);
    if (expected === null) assert.equal(errors, "", constraints);
    else assert.match(errors, expected, constraints);
    if (types[0] === "no.such.type") continue;
    const saved = await browser.post("/permissions/new/", {
      name: `As ${constraints}`,
      object_types: types,
      actions: ["view"],
      constraints,
    });
    assert.equal(saved.status, expected === null ? 303 : 400, constraints);
  }
});

Deno.test("Permissions: callers who may not write them learn nothing by checking constraints", async () => {
  await using app = await testApp();
  const actor = granted([{ types: ["users.objectpermission"], actions: ["view", "delete"] }]);
  const fields = { constraints: "{", object_types: ["dcim.device"] };
  const { status, errors } = await checked(await browserOf(app, actor), fields);
  assert.deepEqual([status, errors], [403, ""]);
});

Deno.test("Permissions: the form shows examples of constraints that can be used", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/permissions/new/");
  const examples = [...html.matchAll(/<dt><code>([^<]*)<\/code>/g)].map(([, text = ""]) => textOf(text));
  assert(examples.length >= 5);
  for (const constraints of examples) {
    const types = constraints.includes("$user") ? ["users.token"] : ["certmgr.certificate"];
    const { errors, matches } = await checked(browser, { constraints, object_types: types });
    assert.equal(errors, "", constraints);
    assert.match(matches, /^Matches \d+ (certificates?|tokens?) that you may view\.$/, constraints);
  }
});

Deno.test("Permissions: constraints show only matches that the caller may view", async () => {
  await using app = await testApp();
  const actor = granted([
    { types: ["users.objectpermission"], actions: ["view", "add"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id: 1 } },
  ]);
  const fields = { constraints: "[]", object_types: ["certmgr.certificate", "dcim.device"] };
  const { errors, matches } = await checked(await browserOf(app, actor), fields);
  assert.deepEqual([errors, matches], ["", "Matches 1 certificate that you may view."]);
});

Deno.test("Users and groups show their permissions, and from where they have them", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const group = await browser.post("/groups/new/", { name: "Readers" });
  const user = await browser.post("/users/new/", {
    username: "rita",
    password: "correct horse battery",
    is_active: "true",
    groups: /\d+/.exec(group.location)?.[0] ?? "",
  });
  const [groupId = "", userId = ""] = [group, user].map(({ location }) => /\d+/.exec(location)?.[0] ?? "");
  const base = { object_types: ["certmgr.certificate"], enabled: "true" };
  await browser.post("/permissions/new/", { ...base, name: "Own", actions: ["renew"], users: userId });
  await browser.post("/permissions/new/", {
    ...base,
    name: "Shared",
    actions: ["view"],
    groups: groupId,
    constraints: '{"tenant__slug": "acme"}',
  });
  await browser.post("/permissions/new/", {
    name: "Off",
    object_types: base.object_types,
    actions: ["delete"],
    users: userId,
  });
  const text = textOf((await browser.get(`/users/${userId}/`)).html);
  assert.match(
    text,
    /Effective permissions .* Certificates ?: renew all objects directly Shared Certificates ?: view Tenant slug: acme Readers/,
  );
  assert.doesNotMatch(text, / Off /);
  assert.match(
    textOf((await browser.get(`/groups/${groupId}/`)).html),
    /Effective permissions .* Shared Certificates ?: view/,
  );
  assert.match(textOf((await browser.get("/users/")).html), /rita/);
  const without = granted([{ types: ["users.user"], actions: ["view"] }], { username: "viewer" });
  const other = await (await browserOf(app, without)).get(`/users/${userId}/`);
  assert.doesNotMatch(other.html, /Effective permissions/);
});

Deno.test("Change log: changed fields are shown side by side, others are folded, and existing objects are named", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const created = await browser.post("/tags/new/", { name: "Green", slug: "green" });
  const { html: form } = await browser.get(`${created.location}edit/`);
  const version = (/name="version" value="([^"]*)"/.exec(form)?.[1] ?? "").replaceAll("&quot;", '"');
  await browser.post(`${created.location}edit/`, { name: "Blue", slug: "green", version, color: "9e9e9e" });
  const log = await browser.get("/changes/?ordering=-id&object_type=extras.tag&action=update");
  const path = /href="(\/changes\/\d+\/)"/.exec(log.html)?.[1] as string;
  const { html } = await browser.get(path);
  assert.match(
    textOf(html),
    /1 field [\w ]+ Field Before After Name Green Blue Unchanged and empty fields \(\d+\)/,
  );
  assert.match(html, /<div class="table stacked".*<td[^>]* data-label="Before">.*Green.*<\/td>/s);
  assert.match(html, new RegExp(`href="${created.location}"`));
  const request = /href="(\/changes\/\?request_id__ie=[^"]*)"/.exec(html)?.[1] as string;
  assert.equal((await browser.get(request)).html.match(/href="\/changes\/\d+\/"/g)?.length, 1);
  await browser.post(`${created.location}delete/`);
  assert.doesNotMatch((await browser.get(path)).html, new RegExp(`href="${created.location}"`));
  const last = await browser.get("/changes/?ordering=-id&action=delete");
  const removed = await browser.get(/href="(\/changes\/\d+\/)"/.exec(last.html)?.[1] as string);
  assert.match(textOf(removed.html), /Field Before .*Name Blue/);
  assert.doesNotMatch(removed.html, />After</);
});

Deno.test("Change log: filters by action, type, user and time; the error of an invalid one is at its field", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const rows = async (query: string): Promise<number> =>
    (await browser.get(`/changes/?${query}`)).html.match(/href="\/changes\/\d+\/"/g)?.length ?? 0;
  assert.equal(await rows("object_type=extras.tag"), 3);
  assert.equal(await rows("object_type=extras.tag&action=delete"), 0);
  assert.equal(await rows("object_type=extras.tag&time__lt=2026-06-14"), 0);
  assert.equal(await rows("object_type=extras.tag&time__gte=2026-06-14"), 3);
  const wrong = await browser.get("/changes/?time__gte=yesterday");
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /id="f-time__gte-error"/);
  assert.match(wrong.html, /value="yesterday"/);
});

Deno.test("Change log: it opens with the tab of users, which leaves out changes by the service, and names have no expiry", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await browser.post("/tags/new/", { name: "Manual", slug: "manual" });
  const [, own = ""] = /href="(\/changes\/\d+\/)"[^>]*><bdi[^>]*>(?:<span>)?Manual</.exec(
    (await browser.get("/changes/")).html,
  ) ?? [];
  assert.notEqual(own, "");
  await app.database.write((tx) =>
    tx.run(sql`INSERT INTO object_changes (time, action, object_type, object_id, object_repr, snapshots)
      VALUES (${
      Date.UTC(2026, 5, 14)
    }, 'update', 'certmgr.certificate', 1, 'by-itself.example (expires: 2027-01-01)',
      X'5B6E756C6C2C6E756C6C5D')`)
  );
  const all = (await browser.get("/changes/?show=all&limit=1000")).html;
  const [, tab = ""] = /href="([^"]*)"[^>]*>By users</.exec(all) ?? [];
  const users = (await browser.get(tab.replaceAll("&amp;", "&"))).html;
  const opened = (await browser.get("/changes/")).html;
  assert.match(opened, /aria-current="page">By users/, "the log opens with what people did");
  assert.doesNotMatch(opened, /by-itself\.example/);
  assert.match(users, new RegExp(`href="${own}"`));
  assert.match(users, /aria-current="page">By users/);
  assert.match(all.replaceAll(/<wbr>|<\/?span>/g, ""), /<bdi[^>]*>by-itself\.example</);
  assert.doesNotMatch(users, /by-itself\.example/);
});

Deno.test("Change log: a changed reference is shown by the name of its object, a hidden one by its id", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const [first, second] = await app.database.all<{ id: number; name: string }>(
    sql`SELECT id, name FROM tenants ORDER BY id LIMIT 2`,
  );
  const form = { ids: String(seed.devices.edge), back: "/devices/", confirmed: "yes" };
  for (const tenant of [first, second]) {
    assert.equal(
      (await browser.post("/devices/bulk-edit/", { ...form, tenant: String(tenant?.id) })).status,
      303,
    );
  }
  const log = "/changes/?changed_object_type=dcim.device&ordering=-id";
  const textIn = async (visitor: Browser): Promise<string> => textOf((await visitor.get(log)).html);
  assert.match(await textIn(browser), new RegExp(`Tenant:\\s+${first?.name}\\s+→\\s+${second?.name}`));
  const reader = await browserOf(app, granted([{ types: ["core.objectchange"], actions: ["view"] }]));
  const ids = new RegExp(`Tenant:\\s+tenant ${first?.id}\\s+→\\s+tenant ${second?.id}`);
  assert.match(await textIn(reader), ids);
});

Deno.test("Calendar feeds: users create their own, see its address once, and revoke it", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, granted([], { username: "someone" }));
  const { status, html } = await browser.post("/calendar-feeds/new/", {
    name: "Mine",
    filter: "status=active",
  });
  assert.equal(status, 200);
  const address = textOf(/data-copy-source[^>]*>(.*?)<\/pre>/s.exec(html)?.[1] ?? "");
  const path = /href="(\/calendar-feeds\/\d+\/)"/.exec(html)?.[1] as string;
  const calendar = async (): Promise<number> => (await app.app.fetch(new Request(address))).status;
  assert.equal(await calendar(), 200);
  assert(!(await browser.get(path)).html.includes(new URL(address).searchParams.get("token") as string));
  assert.doesNotMatch((await browser.get("/calendar-feeds/")).html, /Alice/);
  assert.equal((await browser.get(`/calendar-feeds/${seed.feeds.alice}/`)).status, 404);
  assert.equal((await browser.post(`${path}delete/`)).status, 303);
  assert.equal(await calendar(), 404);
});

Deno.test("Calendar feeds: feeds of other users can be viewed, but changes and deletions are offered only for the user's own", async () => {
  await using app = await testApp();
  const browser = await browserOf(app, auditor());
  const made = await browser.post("/calendar-feeds/new/", { name: "Mine", filter: "" });
  const own = /href="(\/calendar-feeds\/\d+\/)"/.exec(made.html)?.[1] as string;
  const offered = async (path: string): Promise<(string | undefined)[]> =>
    [...(await browser.get(path)).html.matchAll(/href="\/calendar-feeds\/\d+\/(edit|delete)\/"/g)]
      .map(([, action]) => action);
  assert.deepEqual(await offered(own), ["edit", "delete"]);
  assert.deepEqual(await offered(`/calendar-feeds/${seed.feeds.alice}/`), []);
  const { html } = await browser.get("/calendar-feeds/");
  assert.match(html, /Alice/);
  const chosen = [...html.matchAll(/name="ids"[^>]* value="(\d+)"/g)].map(([, id]) =>
    `/calendar-feeds/${id}/`
  );
  assert.deepEqual(chosen, [own]);
});

Deno.test("Objects: a change is offered only for objects that the caller's permission covers, not for all of their type", async () => {
  await using app = await testApp();
  const types = ["certmgr.certificate", "dcim.device"];
  const browser = await browserOf(
    app,
    granted([
      { types, actions: ["view"] },
      { types, actions: ["change", "delete", "renew"], constraints: { tenant__slug: "acme" } },
    ]),
  );
  const { acmeWeb, globexWeb } = seed.certificates;
  for (const [id, may] of [[acmeWeb, true], [globexWeb, false]] as const) {
    const { html } = await browser.get(`/certificates/${id}/`);
    for (const action of ["edit", "delete", "renew"]) {
      assert.equal(html.includes(`href="/certificates/${id}/${action}/"`), may, `${id} ${action}`);
    }
    assert.equal(html.includes(`action="/certificates/${id}/validate/"`), may, `${id} validate`);
  }
});

Deno.test("Objects: a renewal is offered where both permissions that it needs reach the certificate", async () => {
  await using app = await testApp();
  const types = ["certmgr.certificate"];
  const { acmeWeb, globexWeb } = seed.certificates;
  for (const [narrow, wide] of [["renew", "change"], ["change", "renew"]] as const) {
    const browser = await browserOf(
      app,
      granted([
        { types, actions: ["view", wide] },
        { types, actions: [narrow], constraints: { tenant__slug: "acme" } },
      ], { username: `within ${narrow}` }),
    );
    for (const [id, may] of [[acmeWeb, true], [globexWeb, false]] as const) {
      const { html } = await browser.get(`/certificates/${id}/`);
      assert.equal(html.includes(`href="/certificates/${id}/renew/"`), may, `${narrow} ${id}`);
    }
  }
});

Deno.test("Compliance: without results the pages say that certificates are checked on request", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write((tx) => tx.run(sql`DELETE FROM compliance_checks`));
  for (const path of ["/checks/", "/compliance/"]) {
    const text = textOf((await browser.get(path)).html);
    assert.match(
      text,
      /No compliance checks yet\..*Check certificates on their pages, or many at once/,
      path,
    );
    assert.doesNotMatch(text, /once a day/, path);
  }
});

Deno.test("Compliance report: it has scores, failing certificates with their failures, and an export as a table", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html } = await browser.get("/compliance/");
  const text = textOf(html);
  assert.match(text, /Score 50\.0 % 1 of 2 checks pass/);
  assert.match(text, /Failures by severity Critical 1 of 2 failed 50\.0 %/);
  assert.match(text, /Failures by policy Long keys 1 of 2 failed 50\.0 %/);
  assert.match(text, /Failures by tenant Tenant Owner Acme Corp 1 of 2 failed 50\.0 %/);
  assert.match(text, /Failing 1 of 2 checked certificates/);
  const [, failing = ""] = /<section aria-labelledby="failing">(.*?)<\/section>/s.exec(html) ?? [];
  const [, check = "", message = "", policy = ""] =
    /href="\/checks\/(\d+)\/" title="([^"]*)"><bdi>([^<]*)/.exec(failing) ?? [];
  assert.deepEqual([policy, /1024/.test(message)], ["Long keys", true], failing);
  assert.match(textOf((await browser.get(`/checks/${check}/`)).html), /1024 bits/);
  assert.match(textOf((await browser.get("/checks/?certificate_id=3&result=fail")).html), /1024 bits/);
  const none = await browser.get("/compliance/?severity=info");
  assert.deepEqual([none.status, /No results match these filters/.test(none.html)], [200, true]);
  const beyond = await browser.get("/compliance/?offset=5&limit=1");
  assert.match(textOf(beyond.html), /No entries on this page, 1 in total/);
  const wrong = await browser.get("/compliance/?severity=loud");
  assert.equal(wrong.status, 400);
  assert.match(wrong.html, /id="f-severity-error"/);
  const table = await browser.get("/compliance/download/?tenant_id=1");
  assert.match(
    table.headers.get("content-disposition") ?? "",
    /^attachment; filename="compliance-report\.csv"/,
  );
  assert.match(
    table.html,
    /^section,id,name,total_checks,passed,failed,compliance_score,valid_to,tenant,owner,failed_policies\r\noverall,,,2,1,1,50,,,,\r\n/,
  );
});

Deno.test("Compliance report: it covers only what the caller may view", async () => {
  await using app = await testApp();
  const actor = granted([
    { types: ["certmgr.compliancecheck"], actions: ["view"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { id: 1 } },
  ]);
  const { html } = await (await browserOf(app, actor)).get("/compliance/");
  assert.match(
    textOf(html),
    /Score 100 % 1 of 1 checks pass .*Failures by policy not visible to you all 1 passed/,
  );
  assert.doesNotMatch(html, /Long keys|Acme Corp|old\.acme/);
});

Deno.test("References to more objects than a list may hold are typed with suggestions, and are kept unchanged", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  await app.database.write(async (tx) => {
    const many = sql`WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 220)`;
    await tx.run(
      sql`INSERT INTO devices (id, name, created, last_updated) ${many} SELECT i, 'rack-' || i, 0, 0 FROM n`,
    );
    await tx.run(sql`INSERT INTO tags (id, name, slug, created, last_updated)
      ${many} SELECT i, 'tag ' || i, 'tag-' || i, 0, 0 FROM n`);
  });
  const suggested = JSON.parse((await browser.get("/suggest/devices/?q=rack-21")).html);
  assert.deepEqual(suggested.options[0], { value: "rack-210 (#210)", label: "rack-210" });
  assert.equal(suggested.more, false);
  assert.equal(JSON.parse((await browser.get("/suggest/devices/")).html).more, true);
  const form = await browser.get("/assignments/new/");
  const kinds = "devices,virtual-machines,services";
  assert.match(form.html, new RegExp(`name="assigned_object"[^>]*data-suggest="/suggest/${kinds}/"`));
  const all = JSON.parse((await browser.get(`/suggest/${kinds}/?q=rack-21`)).html);
  assert.deepEqual(all.options[0], { value: "rack-210 (device #210)", label: "rack-210", note: "device" });
  assert.equal((await browser.get("/suggest/devices,no-such/")).status, 404);
  const made = await browser.post("/assignments/new/", {
    certificate: "2",
    assigned_object: "rack-150 (device #150)",
  });
  assert.equal(made.status, 303, textOf(made.html));
  assert.match(textOf((await browser.get(made.location)).html), /api\.acme\.example on rack-150/);
  assert.match((await browser.get(`${made.location}edit/`)).html, /value="rack-150 \(device #150\)"/);
  const byName = await browser.post("/assignments/new/", { certificate: "1", assigned_object: "rack-151" });
  assert.equal(byName.status, 303, "a name that only one object has is sufficient");
  const nobody = await browser.post("/assignments/new/", { certificate: "1", assigned_object: "rack-999" });
  assert.equal(nobody.status, 400);
  assert.match(
    textOf(nobody.html),
    /Assigned to : No device, virtual machine or service is called "rack-999"\./,
  );
  assert.match(nobody.html, /href="#f-assigned_object"/);
  assert.match(nobody.html, /<input id="f-assigned_object"[^>]*value="rack-999"/);
  const service = await browser.post("/services/new/", {
    name: "tagged",
    protocol: "tcp",
    parent: "rack-150 (device #150)",
    tags: ["tag 101 (#101)", "tag 102", "103", ""],
  });
  assert.equal(service.status, 303, textOf(service.html));
  assert.match(textOf((await browser.get(service.location)).html), /tag 101 *, tag 102 *, tag 103/);
  const edit = await browser.get(`${service.location}edit/`);
  assert.equal(edit.html.match(/name="tags" value="tag 10[123] \(#10[123]\)"/g)?.length, 3);
  const unknown = await browser.post("/services/new/", {
    name: "x",
    protocol: "tcp",
    parent: "(device #150)",
    tags: ["no such tag"],
  });
  assert.equal(unknown.status, 400);
  assert.match(unknown.html, /id="f-tags-error"/);
  assert.match(unknown.html, /value="no such tag"/);
});
