/** Many notices at once: none is lost, and a message lists the first ones and counts the others. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { subscriptions } from "../../../src/domain/notices/mod.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { createObject } from "../../../src/resource/mod.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";

/** Stores certificates of a tenant that expire in five days, with the names `many-N.example`. */
async function addMany(
  { database, clock }: TestApp,
  { count, tenant }: { count: number; tenant: number },
): Promise<void> {
  const now = clock.now();
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        INSERT INTO certificates (common_name, serial_number, issuer, valid_from, valid_to, status,
          fingerprint_sha256, algorithm, tenant_id, created, last_updated)
        SELECT 'many-' || n || '.example', printf('%x', 1000000 + n), 'CN=Many',
          ${now - 85 * DAY_MS}, ${now + 5 * DAY_MS}, 'active', '', 'rsa', ${tenant}, ${now}, ${now}
        FROM numbers`,
    )
  );
}

interface Message {
  readonly recipient: string;
  readonly titles: readonly string[];
  readonly more: number;
}

/** Runs the job and returns the created messages. */
async function run({ database, ctx }: TestApp): Promise<Message[]> {
  await database.write((tx) => tx.run(sql`DELETE FROM notification_deliveries`));
  await runNotices({ ctx });
  const rows = await database.all<{ recipient: string; message: string }>(
    sql`SELECT recipient, message FROM notification_deliveries ORDER BY id`,
  );
  return rows.map(({ recipient, message }) => {
    const { notices, more } = JSON.parse(message) as { notices: { title: string }[]; more: number };
    return { recipient, more, titles: notices.map(({ title }) => title) };
  });
}

async function subscribe({ ctx, database }: TestApp, input: Record<string, unknown>): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(sql`UPDATE users SET email = 'ops@acme.example' WHERE username = 'root'`);
    await tx.run(sql`UPDATE subscriptions SET enabled = 0`);
    await tx.run(sql`UPDATE notification_channels SET enabled = 1`);
  });
  const [user] = await database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'root'`);
  await createObject({ ctx, resource: subscriptions, input: { name: "Many", user: user?.id, ...input } });
}

Deno.test("a digest about more certificates than one evaluation reads lists the first, counts the others, and goes on", async () => {
  await using app = await testApp();
  await subscribe(app, { events: ["expiring"], filter: "common_name__isw=many-", thresholds: ["30d"] });
  await addMany(app, { count: 1_300, tenant: seed.tenants.acme });
  app.clock.advance(DAY_MS);
  const [first, ...others] = await run(app);
  assert.deepEqual(others, []);
  assert.deepEqual([first?.recipient, first?.titles.length, first?.more], ["ops@acme.example", 200, 800]);
  assert.match(first?.titles[0] ?? "", /^many-1\.example expires in 4 days/);
  app.clock.advance(DAY_MS);
  assert.deepEqual((await run(app)).map(({ titles, more }) => titles.length + more), [300]);
  app.clock.advance(DAY_MS);
  assert.deepEqual(await run(app), []);
});

Deno.test("a digest about more events than one evaluation reads lists the first, counts the others, and goes on", async () => {
  await using app = await testApp();
  await subscribe(app, { events: ["new_certificate"], filter: "common_name__isw=many-" });
  await addMany(app, { count: 1_300, tenant: seed.tenants.acme });
  await app.database.write((tx) =>
    tx.run(
      sql`INSERT INTO notice_events (event, object_type, object_id, time)
        SELECT 'new_certificate', 'certmgr.certificate', id, ${app.clock.now()} FROM certificates WHERE common_name LIKE 'many-%'`,
    )
  );
  app.clock.advance(DAY_MS);
  assert.deepEqual((await run(app)).map(({ titles, more }) => [titles.length, more]), [[200, 800]]);
  app.clock.advance(DAY_MS);
  assert.deepEqual((await run(app)).map(({ titles, more }) => [titles.length, more]), [[200, 100]]);
  app.clock.advance(DAY_MS);
  assert.deepEqual(await run(app), []);
});

Deno.test("each owner is notified of what they own, however much others own", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const [tenant, contact] of [["acme", "web"], ["globex", "database"]] as const) {
    const { id } = await callJson(client, PATHS.contacts, "POST", {
      name: `Owner ${tenant}`,
      email: `${contact}@${tenant}.example`,
    });
    await callJson(client, PATHS.contactAssignments, "POST", {
      object_type: "tenancy.tenant",
      object_id: seed.tenants[tenant],
      contact: id,
      role: { slug: "owner" },
    });
  }
  await subscribe(app, {
    events: ["expiring"],
    filter: "common_name__isw=many-",
    thresholds: ["30d"],
    channel: seed.channels.mail,
    recipients: ["owner"],
  });
  await addMany(app, { count: 300, tenant: seed.tenants.acme });
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET tenant_id = ${seed.tenants.globex}
        WHERE id IN (SELECT max(id) FROM certificates WHERE common_name LIKE 'many-%')`,
    )
  );
  app.clock.advance(DAY_MS);
  const messages = (await run(app)).toSorted((a, b) => a.recipient.localeCompare(b.recipient));
  assert.deepEqual(messages.map(({ recipient, titles, more }) => [recipient, titles.length, more]), [
    ["database@globex.example", 1, 0],
    ["web@acme.example", 200, 99],
  ]);
});
