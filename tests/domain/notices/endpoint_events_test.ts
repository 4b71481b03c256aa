/** Notices about endpoints: reported changes of their states, and expiries of replaced certificates. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import { markSilentAgents } from "../../../src/domain/endpoints/probing/prune_observations.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { probed, type Site, startSite, UNREACHABLE } from "../endpoints/support.ts";

const HOST = "www.notice.example";
const EVENTS = [
  "unknown_served",
  "endpoint_unreachable",
  "endpoint_wrong",
  "endpoint_superseded",
  "endpoint_invalid",
  "endpoint_recovered",
  "agent_silent",
];

async function subscribe({ app, ask }: Site, input: Record<string, unknown>): Promise<void> {
  await app.database.write((tx) => tx.run(sql`UPDATE users SET email = 'ops@acme.example'`));
  await ask("subscriptions/", { name: "Endpoints", mode: "immediate", ...input });
}

/** Returns the titles of all notices so far that contain a text, as if none had been sent before. */
async function titles({ app }: Site, about: string): Promise<string[]> {
  await app.database.write((tx) =>
    tx.runAll([
      sql`UPDATE subscriptions SET next_run = 0, last_event_id = 0`,
      sql`DELETE FROM notices`,
      sql`DELETE FROM notification_deliveries`,
    ])
  );
  await runNotices({ ctx: { ...app.ctx, clock: app.clock } });
  const rows = await app.database.all<{ title: string }>(
    sql`SELECT notice.value ->> 'title' AS title FROM notification_deliveries AS d,
      json_each(d.message, '$.notices') AS notice ORDER BY d.id`,
  );
  return rows.map(({ title }) => title).filter((title) => title.includes(about));
}

Deno.test("each change of an endpoint to a bad state, and back, is reported once", async () => {
  await using site = await startSite();
  await subscribe(site, { events: EVENTS });
  const [old, fresh] = [
    await site.ca.issue({ cn: HOST }),
    await site.ca.issue({ cn: HOST, notAfter: "2026-12-31" }),
  ];
  site.servers.serve(HOST, [old, site.ca]);
  const { id, certificate } = await probed(site, HOST);
  const probe = async (): Promise<void> => {
    site.app.clock.advance(1_000);
    await site.ask(`endpoints/${id}/probe/`, {});
  };
  site.servers.answer(HOST, UNREACHABLE);
  await probe();
  await probe();
  site.servers.serve(HOST, [old]);
  await probe();
  site.servers.serve(HOST, [old, site.ca]);
  await probe();
  await site.ask(`certificates/${(certificate as { id: number }).id}/renew/`, { pem_content: fresh.pem });
  await probe();
  site.servers.serve(HOST, [fresh, site.ca]);
  await probe();
  // Another fault of the same kind.
  const expired = await site.ca.issue({ cn: HOST, notAfter: "2026-01-31" });
  site.servers.serve(HOST, [fresh]);
  await probe();
  site.servers.serve(HOST, [expired]);
  await probe();
  const at = `Endpoint ${HOST}:443`;
  assert.deepEqual(await titles(site, HOST), [
    `${HOST} was not in the inventory and is served at endpoint ${HOST}:443`,
    `${HOST} was not in the inventory and is served at endpoint ${HOST}:443`,
    `${at} does not answer`,
    `${at} is not accepted by clients`,
    `${at} is as expected again`,
    `${at} still serves a certificate that was replaced`,
    `${at} is as expected again`,
    `${at} is not accepted by clients`,
    `${at} is not accepted by clients`,
  ]);
});

Deno.test("a certificate that is not the expected one is reported, with the object of the endpoint", async () => {
  await using site = await startSite();
  await subscribe(site, { events: ["endpoint_wrong"] });
  const { id } = await site.ask("certificates/import/", {
    pem_content: (await site.ca.issue({ cn: HOST })).pem,
  });
  site.servers.serve(HOST, [await site.ca.issue({ cn: HOST }), site.ca]);
  await probed(site, HOST, {
    expected_certificate: id,
    assigned_object_type: "dcim.device",
    assigned_object_id: 1,
  });
  const [title] = await titles(site, HOST);
  assert.match(title ?? "", /^Endpoint www\.notice\.example:443 serves the wrong certificate, on \S+/);
});

Deno.test("an agent that stops reporting causes one notice, however many endpoints it has", async () => {
  await using site = await startSite();
  await subscribe(site, { events: EVENTS });
  const observations = ["a", "b", "c"].map((name) => ({
    host: `${name}.${HOST}`,
    at: "2026-06-15T12:00:00Z",
    error: "x",
  }));
  await site.ask("observations/push/", { agent: "dmz", observations });
  site.app.clock.advance(DAY_MS);
  assert.deepEqual(await markSilentAgents({ ctx: { ...site.app.ctx, clock: site.app.clock } }), {
    silent: 3,
  });
  assert.deepEqual(await titles(site, "reporting"), ["Agent dmz has stopped reporting"]);
});

Deno.test("reminders about a replaced certificate go on while an endpoint serves it, and stop when none does", async () => {
  await using site = await startSite();
  await subscribe(site, { events: ["expiring"], thresholds: ["60d"] });
  const [old, fresh] = [
    await site.ca.issue({ cn: HOST, notAfter: "2026-07-15" }),
    await site.ca.issue({ cn: HOST, notAfter: "2027-06-30" }),
  ];
  const [first, second] = [`1.${HOST}`, `2.${HOST}`];
  for (const host of [first, second]) site.servers.serve(host, [old, site.ca]);
  const one = await probed(site, first);
  const two = await probed(site, second);
  const { id } = one.certificate as { id: number };
  assert.equal((await titles(site, "expires")).filter((title) => title.startsWith(HOST)).length, 1);
  await site.ask(`certificates/${id}/renew/`, { pem_content: fresh.pem });
  const probe = async (host: string, endpoint: Record<string, unknown>): Promise<string[]> => {
    site.app.clock.advance(1_000);
    site.servers.serve(host, [fresh, site.ca]);
    await site.ask(`endpoints/${endpoint.id}/probe/`, {});
    return (await titles(site, "expires")).filter((title) => title.startsWith(HOST));
  };
  const [left, ...more] = await probe(first, one);
  assert.match(left ?? "", /was replaced, is still served at an endpoint, and expires in \d+ days/);
  assert.deepEqual(more, []);
  assert.deepEqual(await probe(second, two), []);
});

Deno.test("a reader who may not view the served certificate is not notified that it was replaced", async () => {
  for (const [constraint, expected] of [['{"id": 0}', []], ["null", ["superseded"]]] as const) {
    await using site = await startSite();
    const [old, fresh] = [
      await site.ca.issue({ cn: HOST }),
      await site.ca.issue({ cn: HOST, notAfter: "2026-12-31" }),
    ];
    site.servers.serve(HOST, [old, site.ca]);
    const { id, certificate } = await probed(site, HOST);
    const { database } = site.app;
    await database.write(async (tx) => {
      await tx.run(
        sql`INSERT INTO users (username, email, created, last_updated) VALUES ('few', 'few@acme.example', 0, 0)`,
      );
      for (const [type, constraints] of [["certmgr.endpoint", "null"], ["certmgr.certificate", constraint]]) {
        await tx.run(
          sql`INSERT INTO object_permissions (name, object_types, actions, constraints, created, last_updated)
            VALUES (${type}, ${JSON.stringify([type])}, '["view"]', nullif(${constraints}, 'null'), 0, 0)`,
        );
      }
      await tx.run(
        sql`INSERT INTO object_permission_users (object_permission_id, user_id)
          SELECT p.id, u.id FROM object_permissions AS p JOIN users AS u ON u.username = 'few'
          WHERE p.name IN ('certmgr.endpoint', 'certmgr.certificate')`,
      );
    });
    const [few] = await database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'few'`);
    await subscribe(site, { events: EVENTS.slice(1), user: few?.id });
    site.app.clock.advance(1_000);
    await site.ask(`certificates/${(certificate as { id: number }).id}/renew/`, { pem_content: fresh.pem });
    await site.ask(`endpoints/${id}/probe/`, {});
    const seen = await titles(site, HOST);
    assert.deepEqual(seen.map((title) => /replaced/.test(title) ? "superseded" : title), expected);
    site.servers.serve(HOST, [fresh, site.ca]);
    site.app.clock.advance(1_000);
    await site.ask(`endpoints/${id}/probe/`, {});
    assert.equal((await titles(site, HOST)).some((title) => /as expected/.test(title)), expected.length > 0);
  }
});
