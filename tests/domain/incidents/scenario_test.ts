/**
 * An intermediate has to be revoked: 500 of its certificates, in 6 tenants and of 20 owners. Two thirds are replaced, half
 * of these are deployed, as probes of servers find, and the others are overdue.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS, formatDatetime } from "../../../src/base/clock.ts";
import type { Context } from "../../../src/auth/mod.ts";
import { MEMBER_STATES } from "../../../src/domain/certificates/mod.ts";
import { burnDown, keepIncidents } from "../../../src/domain/incidents/mod.ts";
import { channels, subscriptions } from "../../../src/domain/notices/mod.ts";
import { runNotices } from "../../../src/domain/notices/run_notices.ts";
import { createObject } from "../../../src/resource/mod.ts";
import type { TestCertificate } from "../../support/test_ca/mod.ts";
import { granted } from "../../support/actors.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { contextOf } from "../../support/context.ts";
import {
  COUNT,
  hostOf,
  incidentWorld,
  ISSUER,
  OWNERS,
  probingLocally,
  TENANTS,
} from "../../support/incident_world.ts";

const INCIDENTS = "/api/plugins/certmgr/incidents/";

async function mails(
  { ctx, database }: TestApp,
): Promise<{ recipient: string; notices: number; titles: string[] }[]> {
  await runNotices({ ctx });
  const rows = await database.all<{ recipient: string; notices: number; message: string }>(
    sql`SELECT recipient, notices, message FROM notification_deliveries
      WHERE subscription_id = (SELECT max(id) FROM subscriptions) ORDER BY recipient`,
  );
  await database.write((tx) => tx.run(sql`DELETE FROM notification_deliveries`));
  return rows.map(({ message, ...one }) => ({
    ...one,
    titles: JSON.parse(message).notices.map(({ title }: { title: string }) => title),
  }));
}

Deno.test("an incident from its start to its report", async (t) => {
  await using app = await testApp(probingLocally());
  await using world = await incidentWorld(app);
  const { ids } = world;
  const { ctx, database, clock } = app;
  const root = await app.as("superuser");
  const [user] = await database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = 'root'`);
  const channel = await createObject({
    ctx,
    resource: channels,
    input: { name: "Mail to owners", kind: "email", settings: { from: "certs@acme.example" } },
  });
  await createObject({
    ctx,
    resource: subscriptions,
    input: {
      name: "Incidents",
      user: user?.id,
      channel: channel.id,
      events: ["incident_opened", "incident_reminder"],
      recipients: ["owner"],
      mode: "immediate",
    },
  });
  await database.write((tx) =>
    tx.run(sql`UPDATE webhooks SET enabled = 1, object_types = '["certmgr.incident"]',
    events = '["incident.opened", "incident.deadline", "incident.closed"]' WHERE id = 1`)
  );
  const events = async (): Promise<unknown[]> =>
    await database.all(sql`SELECT event FROM outbox WHERE object_type = 'certmgr.incident' ORDER BY id`);
  const deadline = clock.now() + 5 * DAY_MS;
  const criteria = { issuers: [ISSUER.toUpperCase()] };
  await t.step("the preview counts by tenant, owner and issuer", async () => {
    const impact = await callJson(root, `${INCIDENTS}preview/`, "POST", { criteria });
    assert.equal(impact.affected, COUNT);
    assert.deepEqual(
      [impact.by_tenant.length, impact.by_owner.length, impact.by_issuer],
      [TENANTS, OWNERS, [{ issuer: ISSUER, affected: COUNT }]],
    );
    assert.deepEqual(impact.by_tenant[0], { tenant: impact.by_tenant[0].tenant, affected: 84 });
    assert.ok(impact.by_owner.every(({ affected }: { affected: number }) => affected === COUNT / OWNERS));
  });

  const incident = await callJson(root, INCIDENTS, "POST", {
    name: "Broken Intermediate",
    kind: "ca_revocation",
    criteria,
    deadline: formatDatetime(deadline),
  });
  const counts = async (client = root) =>
    (await callJson(client, `${INCIDENTS}${incident.id}/`, "GET")).counts;
  /** Compares the numbers of the incident, its list, the list of certificates, the report and the chart. */
  const assertAgreement = async (client: typeof root, as: Context): Promise<void> => {
    const shown = await counts(client);
    const report = await callJson(client, `${INCIDENTS}${incident.id}/report/`, "GET");
    const chart = await burnDown(as, { id: incident.id, began: clock.now() - 9 * DAY_MS, ended: null });
    assert.deepEqual([chart.at(-1)?.open, chart.at(-1)?.replaced], [shown.open, shown.replaced]);
    for (const state of MEMBER_STATES) {
      const members = `${INCIDENTS}${incident.id}/certificates/?state=${state}&limit=1`;
      const list = `/api/plugins/certmgr/certificates/?incident_${state}=${incident.id}&limit=1`;
      assert.deepEqual(
        [
          (await callJson(client, members, "GET")).count,
          (await callJson(client, list, "GET")).count,
          report.filter((one: { state: string }) => one.state === state).length,
        ],
        Array(3).fill(shown[state]),
        state,
      );
    }
  };
  await t.step("all of them are open at first", () => {
    assert.deepEqual(incident.counts, {
      affected: COUNT,
      open: COUNT,
      replaced: 0,
      deployed: 0,
      excluded: 0,
      overdue: 0,
    });
  });
  await t.step("each owner gets one message with their list, once", async () => {
    const sent = await mails(app);
    assert.deepEqual(
      new Set(sent.map(({ recipient }) => recipient)),
      new Set(Array.from({ length: OWNERS }, (_, n) => `owner-${n}@acme.example`)),
    );
    assert.deepEqual([sent.length, new Set(sent.map(({ notices }) => notices))], [OWNERS, new Set([25])]);
    assert.match(sent[0]!.titles[0]!, /^host-0\.example must be replaced \(Broken Intermediate, until 2026-/);
    await keepIncidents({ ctx });
    assert.deepEqual(await mails(app), []);
  });

  const replaced = ids.filter((_, n) => n % 3 !== 2);
  const deployed = replaced.filter((id) => ids.indexOf(id) % 2 === 0);
  const successors = new Map(
    await Promise.all(replaced.map(async (id) => {
      const n = ids.indexOf(id);
      return [n, await world.successor(n)] as const;
    })),
  );
  await t.step("imports replace two thirds; half of these are deployed", async () => {
    clock.advance(DAY_MS / 2);
    for (const id of replaced) {
      const { pem } = successors.get(ids.indexOf(id)) as TestCertificate;
      await callJson(root, `/api/plugins/certmgr/certificates/${id}/renew/`, "POST", { pem_content: pem });
    }
    assert.equal((await counts()).deployed, 0);
    await world.serve(
      new Map([...successors].filter(([n]) => deployed.includes(ids[n] as number))),
    );
    await keepIncidents({ ctx });
    assert.deepEqual(await counts(), {
      affected: COUNT,
      open: COUNT - replaced.length,
      replaced: replaced.length - deployed.length,
      deployed: deployed.length,
      excluded: 0,
      overdue: 0,
    });
  });
  await t.step("owners are reminded of what is open", async () => {
    clock.advance(2 * DAY_MS);
    await keepIncidents({ ctx });
    const sent = await mails(app);
    assert.equal(sent.reduce((sum, { notices }) => sum + notices, 0), COUNT - replaced.length);
    assert.match(sent[0]!.titles[0]!, /must still be replaced/);
    await keepIncidents({ ctx });
    assert.deepEqual(await mails(app), []);
  });
  await t.step("what enters the inventory later joins, and its owners are notified", async () => {
    await callJson(root, "/api/plugins/certmgr/certificates/", "POST", {
      common_name: "late.example",
      serial_number: "c00000",
      issuer: ISSUER,
      valid_from: "2026-01-01",
      valid_to: "2027-01-01",
      fingerprint_sha256: "c0".padStart(64, "0"),
      algorithm: "rsa",
      key_size: 2048,
      tenant: { slug: "tenant-0" },
    });
    await keepIncidents({ ctx });
    assert.equal((await counts()).affected, COUNT + 1);
    const { results } = await callJson(
      root,
      `${INCIDENTS}${incident.id}/certificates/?common_name=late.example`,
      "GET",
    );
    assert.equal(results[0].state, "open");
    const changed = await callJson(root, `${INCIDENTS}${incident.id}/exclude/`, "POST", {
      ids: [results[0].id, 1],
      reason: "Never used",
    });
    assert.deepEqual(changed, { changed: 1, missing_ids: [1] });
    assert.equal((await counts()).excluded, 1);
  });
  await t.step("after the deadline, the open ones are overdue", async () => {
    clock.advance(3 * DAY_MS);
    await keepIncidents({ ctx });
    await keepIncidents({ ctx });
    assert.equal((await counts()).overdue, COUNT - replaced.length);
    await assertAgreement(root, ctx);
  });
  await t.step("a served certificate that returns is replaced, but not deployed", async () => {
    await world.serve(new Map([[0, world.leaves[0] as TestCertificate]]));
    assert.equal((await counts()).deployed, deployed.length - 1);
    await world.serve(new Map([[0, successors.get(0) as TestCertificate]]));
    assert.equal((await counts()).deployed, deployed.length);
  });
  await t.step("fields select from certificates and from what the incident adds", async () => {
    const keys = async (query: string): Promise<string[]> => {
      const { results: [one] } = await callJson(
        root,
        `${INCIDENTS}${incident.id}/certificates/?limit=1&${query}`,
      );
      return Object.keys(one);
    };
    assert.deepEqual(await keys("fields=state,common_name"), ["common_name", "state"]);
    assert.deepEqual(await keys("fields=state&fields=id"), ["id", "state"]);
    assert.deepEqual(await keys("fields=common_name"), ["common_name"]);
    const all = await keys("");
    assert.deepEqual(
      await keys("omit=state,issuer"),
      all.filter((name) => !["state", "issuer"].includes(name)),
    );
    const { status } = await root(`${INCIDENTS}${incident.id}/certificates/?fields=stat`);
    assert.equal(status, 400);
  });
  await t.step("the report has a row for each certificate", async () => {
    await callJson(root, `${INCIDENTS}${incident.id}/`, "PATCH", { status: "closed" });
    const report = await callJson(root, `${INCIDENTS}${incident.id}/report/`, "GET");
    assert.equal(report.length, COUNT + 1);
    for (const [n, id] of ids.entries()) {
      const one = report.find((each: { id: number }) => each.id === id);
      const state = deployed.includes(id) ? "deployed" : replaced.includes(id) ? "replaced" : "open";
      assert.deepEqual([one.state, one.overdue, one.tenant, one.owner], [
        state,
        state === "open",
        `Tenant ${n % TENANTS}`,
        `Owner ${n % OWNERS}`,
      ]);
      assert.deepEqual([one.replaced_at !== null, one.deployed_at !== null], [
        state !== "open",
        state === "deployed",
      ]);
      const successor = successors.get(n)?.certificate.serial.toHex();
      assert.equal(
        one.successor_serial_number?.replaceAll(":", "").toLowerCase() ?? null,
        state === "open" ? null : successor,
      );
      assert.equal(one.common_name, hostOf(n));
    }
    const csv = await (await root(`${INCIDENTS}${incident.id}/report/?format=csv`)).text();
    assert.equal(csv.trim().split("\r\n").length, COUNT + 2);
  });
  await t.step("two users see only their part", async () => {
    for (const tenant of [0, 1]) {
      const client = await app.as(granted([
        { types: ["certmgr.incident"], actions: ["view"] },
        {
          types: ["certmgr.certificate"],
          actions: ["view"],
          constraints: { tenant__slug: `tenant-${tenant}` },
        },
      ], { username: `user-${tenant}` }));
      const own = ids.filter((_, n) => n % TENANTS === tenant);
      const seen = await counts(client);
      assert.deepEqual([seen.affected, seen.open + seen.replaced + seen.deployed], [
        own.length + (tenant === 0 ? 1 : 0),
        own.length,
      ]);
      const list = await callJson(client, `${INCIDENTS}${incident.id}/certificates/?limit=1000`, "GET");
      assert.equal(list.count, seen.affected);
      const report = await callJson(client, `${INCIDENTS}${incident.id}/report/`, "GET");
      assert.equal(report.length, seen.affected);
      assert.ok(report.every((one: { tenant: string | null }) => one.tenant === null));
      const [user] = await database.all<{ id: number }>(
        sql`SELECT id FROM users WHERE username = ${`user-${tenant}`}`,
      );
      await assertAgreement(client, await contextOf(ctx, user!.id));
    }
  });
  await t.step("webhooks get each event once", async () => {
    assert.deepEqual(await events(), [
      { event: "incident.opened" },
      { event: "incident.deadline" },
      { event: "incident.closed" },
    ]);
  });
});
