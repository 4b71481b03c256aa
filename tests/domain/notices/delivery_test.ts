/** Notifications from the inventory to a real mail server and to channels, read back with an independent parser. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { insertInto } from "../../../src/db/mod.ts";
import { users } from "../../../src/db/schema/mod.ts";
import {
  channels,
  NOTICE_EVENT_NAMES,
  respondByLink,
  subscriptions,
  viewLink,
} from "../../../src/domain/notices/mod.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { parseAllowedHosts } from "../../../src/http/mod.ts";
import { type Mail, parseMailServer } from "../../../src/mail/mod.ts";
import { smtpSender } from "../../../src/mail/smtp.ts";
import { createObject } from "../../../src/resource/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { seed } from "../../support/seed.ts";
import { scriptedServer } from "../../support/tls_servers.ts";
import { runAndSend } from "./run_and_send.ts";
import { mailServer, type MailServerOptions, type ReceivedMail } from "./mail_server.ts";

/** Grants the user the certificates of one tenant, and the objects to which they are assigned. */
async function permit(
  { database, ctx }: TestApp,
  username: string,
  constraint: string | null,
): Promise<number> {
  return await database.write(async (tx) => {
    const now = ctx.clock.now();
    await tx.run(
      insertInto(users).values({
        username,
        email: `${username}@acme.example`,
        created: now,
        last_updated: now,
      }),
    );
    const [user] = await tx.all<{ id: number }>(sql`SELECT id FROM users WHERE username = ${username}`);
    const id = user?.id as number;
    await tx.run(
      sql`INSERT INTO object_permissions (name, object_types, actions, constraints, created, last_updated)
        VALUES (${`test ${username}`}, '["certmgr.certificate"]', '["view", "acknowledge"]', ${constraint}, 0, 0)`,
    );
    await tx.run(
      sql`INSERT INTO object_permission_users (object_permission_id, user_id)
        SELECT id, ${id} FROM object_permissions WHERE name = ${`test ${username}`}`,
    );
    return id;
  });
}

const ACME = '{"tenant__slug": "acme"}';

async function subscribe(app: TestApp, user: number, input: Record<string, unknown>): Promise<number> {
  const created = await createObject({
    ctx: app.ctx,
    resource: subscriptions,
    input: { name: "Test", user, events: ["expiring"], mode: "immediate", ...input },
  });
  return created.id as number;
}

async function deliveries({ database }: TestApp): Promise<Record<string, unknown>[]> {
  return await database.all(
    sql`SELECT state, failure, error, attempts, recipient, response_status AS status FROM notification_deliveries
      WHERE subscription_id > 2 OR subscription_id IS NULL ORDER BY id`,
  );
}

for (
  const [security, options] of [
    ["plain on loopback", {}],
    ["STARTTLS with authentication", { starttls: true, user: "mailer", password: "s3cr%t" }],
    ["TLS with authentication", { tls: true, user: "mailer", password: "s3cr%t" }],
  ] as const satisfies readonly (readonly [string, MailServerOptions])[]
) {
  Deno.test(`a digest reaches a mail server by ${security}, in plain text and HTML`, async () => {
    await using app = await testApp();
    await using server = await mailServer(options);
    const user = await permit(app, "dora", ACME);
    await subscribe(app, user, { mode: "daily" });
    app.clock.advance(DAY_MS);
    await runAndSend(app, { mail: smtpSender(server.settings, { ca: server.ca }) });
    assert.equal(server.received.length, 1);
    const [mail] = server.received as [ReceivedMail];
    assert.deepEqual([mail.envelopeFrom, mail.envelopeTo], ["certmgr@acme.example", ["dora@acme.example"]]);
    assert.equal(mail.secure, "starttls" in options || "tls" in options);
    assert.equal(mail.user, "user" in options ? "mailer" : undefined);
    assert.match(mail.messageId, /^<certmgr-[A-Za-z0-9]{26}@acme\.example>$/);
    assert.match(mail.text, /api\.acme\.example expires in 13 days \(29 Jun 2026\)/);
    assert.match(mail.html, /api\.acme\.example expires in 13 days \(29 Jun 2026\)/);
    assert.match(mail.text, /https:\/\/certs\.acme\.example\/certificates\/\d+\//);
    assert.doesNotMatch(mail.text + mail.html + mail.subject, /globex/i);
    assert.deepEqual(
      (await deliveries(app)).map(({ state, attempts, status }) => [state, attempts, status]),
      [
        ["delivered", 1, 250],
      ],
    );
    // A second time nothing is due until the next threshold.
    app.clock.advance(DAY_MS);
    await runAndSend(app, { mail: smtpSender(server.settings, { ca: server.ca }) });
    assert.equal(server.received.length, 1);
  });
}

Deno.test("mail to an internationalized domain goes to its ASCII form", async () => {
  await using app = await testApp();
  const channel = await createObject({
    ctx: app.ctx,
    resource: channels,
    input: { name: "From abroad", kind: "email", settings: { from: "certs@größe.example" } },
  });
  const user = await permit(app, "dora", ACME);
  await subscribe(app, user, { channel: channel.id, recipients: ["ann@bücher.example"] });
  app.clock.advance(DAY_MS);
  const sent: Mail[] = [];
  // The test server would show the domains in Unicode.
  await runAndSend(app, { mail: (mail) => Promise.resolve(String(sent.push(mail))) });
  const [mail] = sent as [Mail];
  assert.deepEqual([mail.from, mail.to], ["certs@xn--gre-6ka8i.example", "ann@xn--bcher-kva.example"]);
  assert.match(mail.messageId, /@xn--gre-6ka8i\.example$/);
});

Deno.test("mail to an SMTP server on another machine is never sent without encryption", async () => {
  assert.deepEqual(parseMailServer("smtp://mail.acme.example"), {
    kind: "smtp",
    host: "mail.acme.example",
    port: 587,
    security: "starttls",
  });
  await using server = await mailServer({});
  const send = smtpSender({ ...server.settings, security: "starttls" }, { ca: server.ca });
  await assert.rejects(
    send({ from: "a@acme.example", to: "b@acme.example", subject: "", text: "", html: "", messageId: "x@y" }),
    { name: "MailError", permanent: false },
  );
  assert.equal(server.received.length, 0);
});

Deno.test("a mail server with another certificate, or one that refuses the password, gets no message", async () => {
  await using server = await mailServer({ tls: true, user: "mailer", password: "right" });
  const mail = {
    from: "a@acme.example",
    to: "b@acme.example",
    subject: "",
    text: "",
    html: "",
    messageId: "x@y",
  };
  await assert.rejects(smtpSender(server.settings)(mail), { name: "MailError", permanent: false });
  const wrong = smtpSender({ ...server.settings, password: "wrong" }, { ca: server.ca });
  await assert.rejects(wrong(mail), { name: "MailError", permanent: false, status: 535 });
  assert.equal(server.received.length, 0);
});

Deno.test("an attempt ends in time although the mail server sends parts of a reply again and again", async () => {
  await using server = scriptedServer(async (connection) => {
    const write = (text: string): Promise<number> => connection.write(new TextEncoder().encode(text));
    await write("220 mail.acme.example\r\n");
    await connection.read(new Uint8Array(1_024));
    for (;;) {
      await write("250-STILL BUSY\r\n");
      await new Promise((done) => setTimeout(done, 20));
    }
  });
  const { address: host, port } = server;
  const send = smtpSender({ kind: "smtp", host, port, security: "plain" }, { totalMs: 300 });
  await assert.rejects(
    send({ from: "a@acme.example", to: "b@acme.example", subject: "", text: "", html: "", messageId: "x@y" }),
    { message: `The mail server ${host} did not accept the message within 0.3 seconds.`, permanent: false },
  );
});

Deno.test("a temporary refusal is tried again with the same id, a permanent one is not", async () => {
  await using app = await testApp();
  await using server = await mailServer({ refusals: [451, 550] });
  const mail = smtpSender(server.settings, { ca: server.ca });
  const user = await permit(app, "dora", ACME);
  await subscribe(app, user, { filter: "common_name=api.acme.example" });
  await runAndSend(app, { mail });
  const [first] = await deliveries(app);
  assert.deepEqual([first?.state, first?.attempts, first?.status], ["pending", 1, 451]);
  app.clock.advance(DAY_MS);
  await app.database.write((tx) => tx.run(sql`UPDATE subscriptions SET enabled = 0`));
  await runAndSend(app, { mail });
  const [second] = await deliveries(app);
  assert.deepEqual([second?.state, second?.attempts, second?.status], ["dead", 2, 550]);
  assert.equal(new Set(server.attempted).size, 1);
  assert.equal(server.attempted.length, 2);
});

Deno.test("nothing is sent about what the user may not view when the message is sent", async () => {
  await using app = await testApp();
  await using server = await mailServer({});
  const mail = smtpSender(server.settings, { ca: server.ca });
  const user = await permit(app, "dora", ACME);
  await subscribe(app, user, {
    events: ["expiring", "expired", "new_certificate", "policy_failed", "renewed"],
  });
  const ctx = { ...app.ctx, baseUrl: "https://certs.acme.example" };
  await runNotices({ ctx });
  assert.ok((await deliveries(app)).length > 0);
  await app.database.write((tx) => tx.run(sql`DELETE FROM object_permission_users WHERE user_id = ${user}`));
  app.clock.advance(60_000);
  await runAndSend(app, { mail });
  assert.equal(server.received.length, 0);
  for (const { state, failure, error } of await deliveries(app)) {
    assert.deepEqual([state, failure], ["dead", "not_visible"]);
    assert.equal(error, "The user may no longer view any of these objects.");
  }
});

Deno.test("a repeated message names nothing that was hidden from the user since the first attempt", async () => {
  for (const hidden of [[], ["dcim.device"], ["certmgr.endpoint"], ["tenancy.tenant"]]) {
    await using app = await testApp();
    await using server = await mailServer({ refusals: [451] });
    const mail = smtpSender(server.settings, { ca: server.ca });
    const user = await permit(app, "dora", null);
    const types = ["certmgr.certificate", "certmgr.certificateassignment", "certmgr.endpoint", "dcim.device"]
      .concat("tenancy.tenant");
    const allow = (shown: readonly string[]): Promise<unknown> =>
      app.database.write((tx) =>
        tx.run(
          sql`UPDATE object_permissions SET object_types = ${JSON.stringify(shown)} WHERE name = 'test dora'`,
        )
      );
    await allow(types);
    const certificate = seed.certificates.acmeWeb;
    await app.database.write(async (tx) => {
      await tx.run(
        sql`UPDATE certificates SET discovered_via = 'endpoint www.acme.example:443', discovered_at_id = 1
          WHERE id = ${certificate}`,
      );
    });
    await subscribe(app, user, { events: ["unknown_served"] });
    await app.database.write((tx) =>
      tx.run(
        sql`INSERT INTO notice_events (event, object_type, object_id, time, detail) VALUES
          ('unknown_served', 'certmgr.certificate', ${certificate}, 1, 'endpoint www.acme.example:443')`,
      )
    );
    await app.database.write((tx) =>
      tx.run(sql`UPDATE subscriptions SET created = 0 WHERE user_id = ${user}`)
    );
    await runAndSend(app, { mail });
    assert.equal((await deliveries(app))[0]?.state, "pending");
    await allow(types.filter((type) => !hidden.includes(type)));
    app.clock.advance(DAY_MS);
    await runAndSend(app, { mail });
    const { text = "" } = server.received[0] ?? {};
    const named = {
      "dcim.device": "assigned to",
      "certmgr.endpoint": "at endpoint",
      "tenancy.tenant": "Tenant:",
    };
    for (const [type, words] of Object.entries(named)) {
      assert.equal(text.includes(words), !hidden.includes(type), `${hidden} ${type}: ${text}`);
    }
  }
});

/** Types of objects that events are about, and their tables. */
const SUBJECTS = {
  "certmgr.certificate": "certificates",
  "certmgr.compliancecheck": "compliance_checks",
  "certmgr.certificatesigningrequest": "certificate_signing_requests",
  "certmgr.endpoint": "endpoints",
  "extras.webhook": "webhooks",
} as const;

for (const event of NOTICE_EVENT_NAMES) {
  Deno.test(`${event}: only users who may view the object are notified, by every kind of subscription`, async () => {
    await using app = await testApp();
    const { database } = app;
    const types = JSON.stringify(Object.keys(SUBJECTS));
    const [blind, seeing] = [await permit(app, "blind", '{"id": 0}'), await permit(app, "seeing", null)];
    await database.write(async (tx) => {
      await tx.run(sql`UPDATE object_permissions SET object_types = ${types} WHERE name LIKE 'test %'`);
      await tx.run(sql`UPDATE notification_channels SET enabled = 1`);
      await tx.run(sql`UPDATE subscriptions SET enabled = 0`);
    });
    const kinds = [
      { name: "own address" },
      { name: "daily", mode: "daily" },
      { name: "weekly", mode: "weekly" },
      { name: "filtered", filter: "status=active&status=expired&status=pending&status=replaced" },
      { name: "addresses", channel: seed.channels.mail, recipients: ["someone@else.example"] },
      { name: "owners", channel: seed.channels.mail, recipients: ["owner"] },
      { name: "chat", channel: seed.channels.chat },
    ];
    for (const kind of kinds) {
      for (const user of [blind, seeing]) {
        await subscribe(app, user, { events: [event], thresholds: ["3650d", "99%"], ...kind });
      }
    }
    // Escalation: notices that are not acknowledged go to a subscription of each.
    for (const user of [blind, seeing]) {
      const target = await subscribe(app, user, { name: "second", events: ["renewed"] });
      await subscribe(app, seeing, {
        name: `first ${user}`,
        events: ["expiring"],
        escalate_to: target,
        escalate_after_days: 1,
      });
    }
    await database.write(async (tx) => {
      for (const [type, table] of Object.entries(SUBJECTS)) {
        await tx.run(
          sql`INSERT INTO notice_events (event, object_type, object_id, time)
            SELECT ${event}, ${type}, id, 1 FROM ${sql.identifier(table)}`,
        );
      }
      await tx.run(sql`UPDATE subscriptions SET created = 0 WHERE enabled = 1`);
    });
    for (let days = 0; days < 8; days++) {
      app.clock.advance(DAY_MS);
      await runNotices({ ctx: app.ctx });
    }
    const notified = await database.all<{ user: number; name: string }>(
      sql`SELECT DISTINCT s.user_id AS user, s.name FROM notification_deliveries AS d
        JOIN subscriptions AS s ON s.id = d.subscription_id`,
    );
    assert.deepEqual(notified.filter(({ user }) => user === blind), []);
    // The same subscriptions of a user who may view the objects send messages.
    const seen = notified.filter(({ user }) => user === seeing).map(({ name }) => name);
    for (const name of ["own address", "daily", "weekly", "addresses", "chat"]) {
      assert.ok(seen.includes(name), name);
    }
    assert.ok(seen.includes("second"));
  });
}

Deno.test("a link in a message asks for confirmation, responds as its user, works once, and stops reminders", async () => {
  await using app = await testApp();
  await using server = await mailServer({});
  const mail = smtpSender(server.settings, { ca: server.ca });
  const user = await permit(app, "dora", ACME);
  await subscribe(app, user, { filter: "common_name=api.acme.example", thresholds: ["30d", "7d"] });
  await runAndSend(app, { mail });
  const link = /link=([\w.-]+)/.exec(server.received[0]?.text ?? "")?.[1] as string;
  const { name } = await viewLink({ deps: app.ctx, link });
  assert.equal(name, "api.acme.example");
  await assert.rejects(
    viewLink({ deps: app.ctx, link: `${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}` }),
    {
      code: "not_found",
    },
  );
  const { username, acknowledged } = await respondByLink({ deps: app.ctx, link, until: null, reason: "" });
  assert.deepEqual([username, acknowledged], ["dora", true]);
  await assert.rejects(respondByLink({ deps: app.ctx, link, until: null, reason: "" }), {
    code: "not_found",
  });
  app.clock.advance(8 * DAY_MS);
  await runAndSend(app, { mail });
  assert.equal(server.received.length, 1);
});

Deno.test("a notice that nobody acknowledges is sent to the second subscription once, after the days that are set", async () => {
  await using app = await testApp();
  await using server = await mailServer({});
  const mail = smtpSender(server.settings, { ca: server.ca });
  const [first, second] = [await permit(app, "dora", ACME), await permit(app, "boss", ACME)];
  const boss = await subscribe(app, second, { events: ["renewed"] });
  await subscribe(app, first, {
    filter: "common_name=api.acme.example",
    thresholds: ["30d"],
    escalate_to: boss,
    escalate_after_days: 3,
  });
  await runAndSend(app, { mail });
  assert.deepEqual(server.received.map(({ envelopeTo }) => envelopeTo), [["dora@acme.example"]]);
  for (let days = 0; days < 5; days++) {
    app.clock.advance(DAY_MS);
    await runAndSend(app, { mail });
  }
  assert.deepEqual(server.received.map(({ envelopeTo }) => envelopeTo), [["dora@acme.example"], [
    "boss@acme.example",
  ]]);
  assert.match(server.received[1]?.text ?? "", /Nobody has acknowledged/);
});

Deno.test("a channel's URL is requested with the message, and its failure is retried", async () => {
  await using app = await testApp();
  const bodies: unknown[] = [];
  const statuses = [500, 200];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    bodies.push(await request.json());
    return new Response("", { status: statuses.shift() ?? 200 });
  });
  try {
    const { id: channel } = await createObject({
      ctx: {
        ...app.ctx,
        settings: { ...app.ctx.settings, allowedTargets: parseAllowedHosts(["127.0.0.1"]) },
      },
      resource: channels,
      input: { name: "Local", kind: "slack", settings: { url: `http://127.0.0.1:${server.addr.port}/hook` } },
    });
    const user = await permit(app, "dora", ACME);
    await subscribe(app, user, { channel, filter: `id=${seed.certificates.acmeCritical}` });
    await runAndSend(app, { mail: undefined, allowed: ["127.0.0.1"] });
    app.clock.advance(3_600_000);
    await runAndSend(app, { mail: undefined, allowed: ["127.0.0.1"] });
    assert.equal(bodies.length, 2);
    assert.deepEqual(bodies[0], bodies[1]);
    assert.match(JSON.stringify(bodies[0]), /api\.acme\.example expires in 14 days/);
    assert.deepEqual((await deliveries(app)).map(({ state, attempts }) => [state, attempts]), [[
      "delivered",
      2,
    ]]);
  } finally {
    await server.shutdown();
  }
});
