/** Served certificates in the inventory: discovery, expectations, renewals, observations. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { SERVICE_ACTOR } from "../../../src/auth/mod.ts";
import { probeDue } from "../../../src/domain/endpoints/probing/service.ts";
import { TestCa } from "../../support/test_ca/mod.ts";
import { probed, type Site, startSite, UNREACHABLE } from "./support.ts";

const HOST = "www.drift.example";
type Body = Record<string, unknown>;

async function countOf({ ask }: Site, path: string): Promise<number> {
  return (await ask(path)).count as number;
}

Deno.test("a served certificate is added once, however many endpoints serve it, with its chain and origin", async () => {
  await using site = await startSite();
  const leaf = await site.ca.issue({ cn: "*.drift.example", sans: ["*.drift.example"] });
  const before = await countOf(site, "certificates/");
  for (const name of ["a", "b", "c"]) {
    site.servers.serve(`${name}.drift.example`, [leaf, site.ca]);
    assert.equal((await probed(site, `${name}.drift.example`, { tenant: { slug: "acme" } })).state, "ok");
  }
  assert.equal(await countOf(site, "certificates/"), before + 1);
  const { results } = await site.ask(
    "certificates/?common_name=*.drift.example&include_pem=true&has_endpoints=true",
  );
  const [found] = results as Body[];
  assert.equal(found?.endpoint_count, 3);
  assert.equal(found?.discovered_via, "endpoint a.drift.example:443");
  assert.equal((found?.tenant as Body).slug, "acme");
  assert.equal(found?.issuer_chain, site.ca.pem);
  assert.equal(found?.first_seen, "2026-06-15T12:00:00Z");
  assert.equal(await countOf(site, "certificates/?has_endpoints=true"), 1);
});

for (
  const [discover, state, added] of [
    ["create", "ok", 1],
    ["pending", "wrong_certificate", 1],
    ["off", "wrong_certificate", 0],
  ] as const
) {
  Deno.test(`with CERTMGR_DISCOVER=${discover} an unknown certificate is ${state}, and ${added} is added`, async () => {
    const probing = { allowedNetworks: [], concurrency: 8, discover, retentionDays: 400 };
    await using site = await startSite({ settings: { probing } });
    site.servers.serve(HOST, [await site.ca.issue({ cn: HOST }), site.ca]);
    const endpoint = await probed(site, HOST);
    assert.equal(endpoint.state, state);
    assert.equal(endpoint.certificate === null ? 0 : 1, added);
    assert.equal(await countOf(site, `certificates/?common_name=${HOST}`), added);
  });
}

Deno.test("a certificate other than the expected one is wrong_certificate, its successor is ok", async () => {
  await using site = await startSite();
  const [first, second, other] = [
    await site.ca.issue({ cn: HOST }),
    await site.ca.issue({ cn: HOST, notAfter: "2026-12-31" }),
    await site.ca.issue({ cn: HOST }),
  ];
  const { id: expected } = await site.ask("certificates/import/", { pem_content: first.pem });
  site.servers.serve(HOST, [other, site.ca]);
  const { id, state } = await probed(site, HOST, { expected_certificate: expected });
  assert.equal(state, "wrong_certificate");
  const serving = async (...certificates: Parameters<typeof site.servers.serve>[1]): Promise<unknown> => {
    site.servers.serve(HOST, certificates);
    return (await site.ask(`endpoints/${id}/probe/`, {})).state;
  };
  site.app.clock.advance(1_000);
  assert.equal(await serving(first, site.ca), "ok");
  await site.ask(`certificates/${expected}/renew/`, { pem_content: second.pem });
  site.app.clock.advance(1_000);
  assert.equal(await serving(first, site.ca), "superseded");
  site.app.clock.advance(1_000);
  assert.equal(await serving(second, site.ca), "ok");
});

Deno.test("after a renewal, endpoints are probed at rising intervals until they serve the successor", async () => {
  await using site = await startSite();
  const { app, servers } = site;
  const [old, fresh] = [
    await site.ca.issue({ cn: HOST }),
    await site.ca.issue({ cn: HOST, notAfter: "2026-12-31" }),
  ];
  servers.serve(HOST, [old, site.ca]);
  const endpoint = await probed(site, HOST);
  const { id: certificate } = endpoint.certificate as Body;
  const context = () => ({ ...app.ctx, clock: app.clock, actor: SERVICE_ACTOR });
  const turn = () => probeDue({ context, probe: servers.probe, owner: "one" });
  // The endpoints of the seed are due, too.
  await turn();
  assert.equal((await turn()).claimed, 0);
  app.clock.advance(1_000);
  await site.ask(`certificates/${certificate}/renew/`, { pem_content: fresh.pem });
  const waits: number[] = [];
  for (let round = 0; round < 7; round++) {
    servers.probed.length = 0;
    await turn();
    assert.ok(servers.probed.includes(HOST), `round ${round}`);
    assert.equal((await site.ask(`endpoints/${endpoint.id}/`)).state, "superseded");
    const [row] = await app.database.all<{ next: number }>(
      sql`SELECT next_probe AS next FROM endpoints WHERE id = ${endpoint.id}`,
    );
    const wait = (row?.next ?? 0) - app.clock.now();
    waits.push(wait / 60_000);
    app.clock.advance(wait);
  }
  assert.deepEqual(waits, [1, 2, 5, 10, 30, 60, 60]);
  servers.serve(HOST, [fresh, site.ca]);
  await turn();
  const after = await site.ask(`endpoints/${endpoint.id}/`);
  assert.equal(after.state, "ok");
  const { results } = await site.ask(`observations/?endpoint_id=${endpoint.id}&ordering=id`);
  assert.deepEqual((results as Body[]).map(({ state, probes }) => [state, probes]), [["ok", 1], [
    "superseded",
    7,
  ], [
    "ok",
    1,
  ]]);
});

Deno.test("endpoints are probed at once when the status of their certificate changes, and their state follows it", async () => {
  const probing = { allowedNetworks: [], concurrency: 8, discover: "pending", retentionDays: 400 } as const;
  await using site = await startSite({ settings: { probing } });
  const { app, servers } = site;
  servers.serve(HOST, [await site.ca.issue({ cn: HOST }), site.ca]);
  const { id, certificate } = await probed(site, HOST);
  const context = () => ({ ...app.ctx, clock: app.clock, actor: SERVICE_ACTOR });
  const turn = () => probeDue({ context, probe: servers.probe, owner: "one" });
  // The endpoints of the seed are due, too.
  await turn();
  for (const [status, state] of [["active", "ok"], ["revoked", "revoked"]] as const) {
    app.clock.advance(1_000);
    assert.equal((await turn()).claimed, 0);
    await site.ask(`certificates/${(certificate as Body).id}/`, { status }, "PATCH");
    assert.equal((await turn()).claimed, 1);
    assert.equal((await site.ask(`endpoints/${id}/`)).state, state);
  }
});

Deno.test("untrusted endpoints are probed at once when an authority is tracked, and when its certificate changes", async () => {
  const probing = { allowedNetworks: [], concurrency: 8, discover: "pending", retentionDays: 400 } as const;
  await using site = await startSite({ settings: { probing } });
  const { app, servers } = site;
  const [stranger, another] = [await TestCa.root({ cn: "Stranger" }), await TestCa.root({ cn: "Another" })];
  servers.serve(HOST, [await stranger.issue({ cn: HOST }), stranger]);
  const { id, state } = await probed(site, HOST);
  assert.equal(state, "untrusted");
  const context = () => ({ ...app.ctx, clock: app.clock, actor: SERVICE_ACTOR });
  const turn = () => probeDue({ context, probe: servers.probe, owner: "one" });
  // The endpoints of the seed are due, too.
  await turn();
  assert.equal((await turn()).claimed, 0);
  const authority = await site.ask("certificate-authorities/", {
    name: "Lab",
    type: "internal",
    pem_content: another.pem,
  });
  // Its certificate is pending, because it was found untrusted.
  for (const expected of ["untrusted", "wrong_certificate"]) {
    app.clock.advance(1_000);
    assert.equal((await turn()).claimed, 1);
    assert.equal((await turn()).claimed, 0);
    assert.equal((await site.ask(`endpoints/${id}/`)).state, expected);
    await site.ask(`certificate-authorities/${authority.id}/`, { pem_content: stranger.pem }, "PATCH");
  }
});

Deno.test("an observation is one row until something changes", async () => {
  await using site = await startSite();
  site.servers.serve(HOST, [await site.ca.issue({ cn: HOST }), site.ca]);
  const { id } = await probed(site, HOST);
  const changes = await site.admin("/api/core/object-changes/?limit=1");
  const { count } = await changes.json();
  for (let minute = 0; minute < 3; minute++) {
    site.app.clock.advance(60_000);
    await site.ask(`endpoints/${id}/probe/`, {});
  }
  const after = await site.admin("/api/core/object-changes/?limit=1");
  assert.equal((await after.json()).count, count, "a probe that finds the same is no change");
  site.servers.answer(HOST, { ...UNREACHABLE, address: "192.0.2.1" });
  site.app.clock.advance(60_000);
  await site.ask(`endpoints/${id}/probe/`, {});
  const { results } = await site.ask(`observations/?endpoint_id=${id}&ordering=id`);
  assert.deepEqual(
    (results as Body[]).map((
      { state, probes, first_seen, last_seen },
    ) => [state, probes, first_seen, last_seen]),
    [
      ["ok", 4, "2026-06-15T12:00:00Z", "2026-06-15T12:03:00Z"],
      ["unreachable", 1, "2026-06-15T12:04:00Z", "2026-06-15T12:04:00Z"],
    ],
  );
});

Deno.test("a served certificate is assigned to the object of the endpoint", async () => {
  await using site = await startSite();
  site.servers.serve(HOST, [await site.ca.issue({ cn: HOST }), site.ca]);
  const object = { assigned_object_type: "dcim.device", assigned_object_id: 2 };
  const { certificate } = await probed(site, HOST, object);
  const { results } = await site.ask(`assignments/?certificate=${(certificate as Body).id}`);
  assert.deepEqual(
    (results as Body[]).map((one) => [one.assigned_object_type, one.assigned_object_id]),
    [["dcim.device", 2]],
  );
});

Deno.test("a report that arrives after a newer one does not change the state", async () => {
  await using site = await startSite();
  const leaf = await site.ca.issue({ cn: HOST });
  const base = { host: HOST, address: "10.0.0.5", possession: "proven" };
  const push = (more: Body): Promise<Body> =>
    site.ask("observations/push/", { agent: "dmz", observations: [{ ...base, ...more }] });
  await push({ at: "2026-06-15T11:30:00Z", presented: [leaf.pem, site.ca.pem] });
  const late = await push({ at: "2026-06-15T11:00:00Z", error: "The connection was refused." });
  assert.deepEqual([late.created, late.updated, late.unchanged], [0, 0, 1]);
  const [endpoint] = (await site.ask(`endpoints/?host=${HOST}`)).results as Body[];
  assert.deepEqual([endpoint?.state, endpoint?.last_probed], ["ok", "2026-06-15T11:30:00Z"]);
});

Deno.test("a report of an agent that arrives again changes nothing", async () => {
  await using site = await startSite();
  const leaf = await site.ca.issue({ cn: HOST });
  const report = {
    agent: "dmz",
    observations: [{
      host: HOST,
      address: "10.0.0.5",
      at: "2026-06-15T11:00:00Z",
      presented: [leaf.pem, site.ca.pem],
      tls_version: "TLS 1.3",
      possession: "proven",
    }],
  };
  const first = await site.ask("observations/push/", report);
  assert.deepEqual([first.created, first.certificates_created], [1, 1]);
  const again = await site.ask("observations/push/", report);
  assert.deepEqual(again, { created: 0, updated: 0, unchanged: 1, certificates_created: 0, errors: [] });
  const later = { ...report.observations[0], at: "2026-06-15T11:30:00Z" };
  const third = await site.ask("observations/push/", { ...report, observations: [later] });
  assert.deepEqual([third.created, third.updated], [0, 1]);
  const { results } = await site.ask(`endpoints/?host=${HOST}`);
  const [endpoint] = results as Body[];
  assert.deepEqual([endpoint?.state, endpoint?.source, endpoint?.last_probed], [
    "ok",
    "agent:dmz",
    "2026-06-15T11:30:00Z",
  ]);
  const [row] = await site.app.database.all(sql`SELECT next_probe FROM endpoints WHERE id = ${endpoint?.id}`);
  assert.deepEqual(row, { next_probe: null }, "the service does not probe what an agent reports");
});
