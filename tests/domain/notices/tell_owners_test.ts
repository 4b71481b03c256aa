/** Owners are notified about their certificates: who is notified, by whom, how often, and what they receive. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { formatDatetime, HOUR_MS } from "../../../src/base/clock.ts";
import { smtpSender } from "../../../src/mail/smtp.ts";
import { granted, type GrantSpec } from "../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { mailServer } from "./mail_server.ts";
import { runAndSend } from "./run_and_send.ts";

const TELL = `${PATHS.certificates}tell-owners/`;
const { acmeWeb, acmeCritical, globexWeb } = seed.certificates;
const ids = [acmeWeb, acmeCritical, globexWeb];
const { web, network } = seed.contacts;

async function tell(
  client: Client,
  body: Record<string, unknown>,
  status = 200,
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
): Promise<any> {
  const response = await client(TELL, {
    method: "POST",
    body: { ids, ...body },
  });
  const answer = await response.json();
  assert.equal(response.status, status, JSON.stringify(answer));
  return answer;
}

type Letter = Awaited<ReturnType<typeof tell>>;

async function run(
  { database }: TestApp,
  statement: ReturnType<typeof sql>,
): Promise<void> {
  await database.write((tx) => tx.run(statement));
}

const giveAddress = sql`UPDATE contacts SET email = 'network@acme.example' WHERE id = ${network}`;

Deno.test("each owner receives one message in plain text, and the certificates and the log record it", async () => {
  await using app = await testApp();
  await using server = await mailServer({ refusals: [451] });
  await run(app, giveAddress);
  const alice = granted([{
    types: ["certmgr.certificate"],
    actions: ["view", "change"],
  }, {
    types: [
      "tenancy.contact",
      "tenancy.contactassignment",
      "tenancy.tenant",
      "certmgr.notificationdelivery",
    ],
    actions: ["view"],
  }], { username: "alice.b" });
  const client = await app.as(alice);
  await run(
    app,
    sql`UPDATE users SET email = 'alice@acme.example' WHERE username = 'alice.b'`,
  );
  const text = "Please renew these.\nBcc: everybody@acme.example\n\n.\nThanks <b>& regards</b>";
  const { told, total } = await tell(client, {
    subject: "Your certificates",
    texts: { [web]: text },
  });
  assert.equal(total, 3);
  assert.deepEqual(
    told.map((
      { owner, recipient, certificates }: Letter,
    ) => [owner.id, recipient, certificates]),
    [[network, "network@acme.example", [acmeCritical]], [
      web,
      "web@acme.example",
      [acmeWeb],
    ]],
  );
  const send = { mail: smtpSender(server.settings, { ca: server.ca }) };
  await runAndSend(app, send);
  // The first was refused for now.
  assert.equal(server.received.length, 1);
  app.clock.advance(HOUR_MS);
  await runAndSend(app, send);
  const mails = server.received.toSorted((a, b) => String(a.envelopeTo) < String(b.envelopeTo) ? -1 : 1);
  assert.deepEqual(
    mails.map((one) => [one.envelopeTo, one.subject, one.html, one.replyTo]),
    [
      [["network@acme.example"], "Your certificates", "", "alice@acme.example"],
      [["web@acme.example"], "Your certificates", "", "alice@acme.example"],
    ],
  );
  assert.match(
    mails[0]?.text ?? "",
    /^Hello Network team,\n\nyou are responsible for this certificate. Please renew in time, or tell us who does:\n\n\* api\.acme/,
  );
  assert.ok(mails[1]?.text.startsWith(text));
  assert.match(
    mails[1]?.text ?? "",
    /\n-- \nSent by alice\.b with certmgr\.\n/,
  );
  const log = await (await client(`${PATHS.notices}?event=owner_told`)).json();
  assert.deepEqual(
    log.results.map((
      one: typeof log,
    ) => [one.id, one.state.value ?? one.state, one.notices]).toSorted(),
    told.map((one: Letter) => [one.delivery, "delivered", 1]),
  );
  const recipients = async (reader: Client): Promise<string[]> =>
    (await (await reader(`${PATHS.notices}?event=owner_told`)).json()).results
      .map(({ recipient }: { recipient: string }) => recipient).toSorted();
  assert.deepEqual(await recipients(client), ["network@acme.example", "web@acme.example"]);
  for (const constraints of [{ id: web }, undefined]) {
    const reader = granted([
      { types: ["certmgr.notificationdelivery"], actions: ["view"] },
      ...constraints ? [{ types: ["tenancy.contact"], actions: ["view"], constraints }] : [],
    ], { username: constraints ? "some" : "none" });
    assert.deepEqual(await recipients(await app.as(reader)), ["", ""]);
  }
  const changes = await app.database.all(
    sql`SELECT changed.object_id AS id, changed.message, changed.username FROM object_changes AS changed
      WHERE message LIKE 'Owner notified%' ORDER BY id`,
  );
  assert.deepEqual(
    changes.toSorted((a, b) => Number(a.id) - Number(b.id)),
    told.map((one: Letter) => ({
      id: one.certificates[0],
      message: `Owner notified by e-mail (delivery ${one.delivery})`,
      username: "alice.b",
    })).toSorted((a: { id: number }, b: { id: number }) => a.id - b.id),
  );
});

Deno.test("a subject that looks encoded is shown as it is", async () => {
  await using app = await testApp();
  await using server = await mailServer({});
  const subject = "=?utf-8?q?Bcc?= and more, for certificates of Größe";
  for (const given of [subject, "=?utf-8?q?Bcc?="]) {
    await tell(await app.as("superuser"), { ids: [acmeWeb], subject: given });
    await runAndSend(app, { mail: smtpSender(server.settings, { ca: server.ca }) });
    assert.equal(server.received.at(-1)?.subject, given);
  }
});

Deno.test("a message is dropped if its user may no longer sign in when it is sent", async () => {
  await using app = await testApp();
  await using server = await mailServer({});
  const client = await app.as(
    granted([{ types: TYPES, actions: ["view", "change"] }]),
  );
  await tell(client, {});
  await run(
    app,
    sql`UPDATE users SET is_active = 0 WHERE username = 'grantee'`,
  );
  await runAndSend(app, {
    mail: smtpSender(server.settings, { ca: server.ca }),
  });
  assert.equal(server.received.length, 0);
});

const TYPES = [
  "certmgr.certificate",
  "tenancy.contact",
  "tenancy.contactassignment",
  "tenancy.tenant",
];
const RELATED = { types: TYPES.slice(1), actions: ["view"] };
const all = { types: ["certmgr.certificate"], actions: ["view", "change"] };
const [NO_OWNER, NO_EMAIL] = ["no_owner", "no_email"];

/** Certificates 1 and 2 are of Acme and owned by the web and the network team; the third has no owner. */
const RIGHTS: readonly (readonly [
  title: string,
  grants: readonly GrantSpec[],
  told: Readonly<Record<number, readonly number[]>>,
  notTold: Readonly<Record<number, string>>,
])[] = [
  ["everything", [all, RELATED], { [web]: [acmeWeb] }, {
    [acmeCritical]: NO_EMAIL,
    [globexWeb]: NO_OWNER,
  }],
  [
    "certificates of one tenant",
    [{ ...all, constraints: { tenant__slug: "globex" } }, RELATED],
    {},
    {
      [globexWeb]: NO_OWNER,
    },
  ],
  [
    "changes of one certificate",
    [{ ...all, actions: ["view"] }, {
      ...all,
      actions: ["change"],
      constraints: { id: acmeWeb },
    }, RELATED],
    { [web]: [acmeWeb] },
    {},
  ],
  [
    "changes of hidden certificates",
    [{ ...all, actions: ["change"] }, {
      ...all,
      actions: ["view"],
      constraints: { id: acmeWeb },
    }, RELATED],
    { [web]: [acmeWeb] },
    {},
  ],
  // Without the hidden one, the contact of the tenant is the owner, as on all pages of this user.
  [
    "other contacts only",
    [all, { ...RELATED, types: TYPES.slice(2) }, {
      types: ["tenancy.contact"],
      actions: ["view"],
      constraints: { id: network },
    }],
    {},
    { [acmeWeb]: NO_EMAIL, [acmeCritical]: NO_EMAIL, [globexWeb]: NO_OWNER },
  ],
  [
    "no assignments of contacts",
    [all, { ...RELATED, types: ["tenancy.contact"] }],
    {},
    {
      [acmeWeb]: NO_OWNER,
      [acmeCritical]: NO_OWNER,
      [globexWeb]: NO_OWNER,
    },
  ],
];

for (const [title, grants, told, notTold] of RIGHTS) {
  Deno.test(`a user who may use ${title} tells exactly the owners that they may view`, async () => {
    await using app = await testApp();
    const client = await app.as(granted(grants));
    for (const dry_run of [true, false]) {
      const answer = await tell(client, { dry_run });
      assert.deepEqual(
        Object.fromEntries(
          answer.told.map((
            one: typeof answer,
          ) => [one.owner.id, one.certificates.toSorted()]),
        ),
        told,
      );
      assert.deepEqual(
        Object.fromEntries(
          answer.not_told.map((
            { certificate, reason }: typeof answer,
          ) => [certificate, reason]),
        ),
        notTold,
      );
      const known = new Set([
        ...Object.values(told).flat(),
        ...Object.keys(notTold).map(Number),
      ]);
      assert.equal(answer.total, known.size);
      const [{ stored }] = await app.database.all<{ stored: number }>(
        sql`SELECT count(*) AS stored FROM notification_deliveries WHERE event = 'owner_told'`,
      ) as [{ stored: number }];
      assert.equal(stored, dry_run ? 0 : Object.keys(told).length);
    }
  });
}

Deno.test("a user may tell 200 owners in an hour, and others are not affected", async () => {
  await using app = await testApp();
  const [first, second] = [
    granted([all, RELATED]),
    granted([all, RELATED], { username: "second" }),
  ];
  const client = await app.as(first);
  await tell(client, {});
  await run(
    app,
    sql`WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 199)
      INSERT INTO notification_deliveries (message_id, event, message, state, created, last_updated)
      SELECT 'copy ' || n, event, message, 'delivered', created, created FROM notification_deliveries, more
      WHERE event = 'owner_told'`,
  );
  const answer = await tell(client, {}, 429);
  assert.match(
    answer.detail,
    /at most 200 owners in an hour, and have notified 200/,
  );
  await tell(await app.as(second), {});
  app.clock.advance(HOUR_MS);
  await tell(client, {});
});

Deno.test("more than 100 owners are refused at once", async () => {
  await using app = await testApp();
  await run(
    app,
    sql`WITH RECURSIVE more(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM more WHERE n < 1100)
      INSERT INTO contacts (id, name, email, created, last_updated)
      SELECT n, 'Team ' || n, 'team' || n || '@acme.example', 0, 0 FROM more`,
  );
  const columns = (await app.database.all<{ name: string }>(
    sql`SELECT name FROM pragma_table_info('certificates') WHERE name NOT IN ('id', 'serial_number')`,
  )).map(({ name }) => name).join(", ");
  await run(
    app,
    sql`WITH RECURSIVE more(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM more WHERE n < 1100)
      INSERT INTO certificates (id, serial_number, ${sql.raw(columns)})
      SELECT n, 'AA:' || n, ${sql.raw(columns)}
      FROM certificates, more WHERE certificates.id = ${globexWeb}`,
  );
  await run(
    app,
    sql`WITH RECURSIVE more(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM more WHERE n < 1100)
      INSERT INTO contact_assignments (object_type, object_id, contact_id, created, last_updated)
      SELECT 'certmgr.certificate', n, n, 0, 0 FROM more`,
  );
  const client = await app.as("superuser");
  const many = Array.from({ length: 101 }, (_, index) => 1000 + index);
  assert.deepEqual(await tell(client, { ids: many }, 400), {
    ids: ["Batch too large: expected at most 100 owners, not 101."],
  });
  assert.equal((await tell(client, { ids: many.slice(1) })).told.length, 100);
});

Deno.test("each owner has a subject of their own, and reads which incident demands what until when", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await run(app, giveAddress);
  const deadline = "2026-12-04T00:00:00Z";
  const made = await client("/api/plugins/certmgr/incidents/", {
    method: "POST",
    body: { name: "Recall", kind: "other", deadline, criteria: { filter: `id=${acmeWeb}` } },
  });
  const { id } = await made.json();
  assert.equal(made.status, 201);
  const { told } = await tell(client, { dry_run: true });
  const [one, other, ...more] = told as { owner: { id: number }; subject: string; text: string }[];
  assert.deepEqual(more, []);
  assert.notEqual(one?.subject, other?.subject);
  assert.match(
    `${one?.text}${other?.text}`,
    /www\.acme\.example must be replaced by .*must be replaced by 4 Dec 2026 \(Recall\); it expires in /,
  );
  const link = new RegExp(`About the incident: https?://[^/]+/incidents/${id}/$`, "m");
  const linked = [one, other].filter((each) => link.test(each?.text ?? ""));
  assert.deepEqual(linked.map((each) => each?.text.includes("Please replace")), [true]);
  const named = await tell(client, {
    dry_run: true,
    subject: "All",
    subjects: { [Number(one?.owner.id)]: "Yours" },
  });
  assert.deepEqual(named.told.map(({ subject }: { subject: string }) => subject), ["Yours", "All"]);
  await tell(client, { subjects: { 999: "Nobody" } }, 400);
  const members = `/api/plugins/certmgr/incidents/${id}/certificates/?fields=id,told_at`;
  const toldAt = async (): Promise<(string | null)[]> =>
    (await (await client(members)).json()).results.map(({ told_at }: { told_at: string | null }) => told_at);
  assert.deepEqual(await toldAt(), [null]);
  await tell(client, { ids: [acmeCritical] });
  assert.deepEqual(await toldAt(), [null]);
  app.clock.advance(HOUR_MS);
  await tell(client, {});
  assert.deepEqual(await toldAt(), [formatDatetime(app.clock.now())]);
  const { told: seen } = await tell(
    await app.as(granted([
      { types: ["certmgr.certificate"], actions: ["view", "change"] },
      { types: ["tenancy.contact", "tenancy.contactassignment", "tenancy.tenant"], actions: ["view"] },
    ])),
    { dry_run: true },
  );
  assert.doesNotMatch(JSON.stringify(seen), /Recall/);
});
