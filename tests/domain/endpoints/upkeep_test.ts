/** Retention of observations, silent agents, scans. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../../src/base/clock.ts";
import {
  markSilentAgents,
  pruneObservations,
} from "../../../src/domain/endpoints/probing/prune_observations.ts";
import { runScanJob, scan } from "../../../src/domain/endpoints/scanning/run_scan_jobs.ts";
import { probeBySockets } from "../../../src/probe/probe_by_sockets.ts";
import { freePort } from "../../support/loopback.ts";
import { opensslServer } from "../../support/tls_servers.ts";
import { presenting, probed, startSite, UNREACHABLE } from "./support.ts";

const HOST = "www.upkeep.example";

Deno.test("old observations are deleted, but the newest one of each address is kept", async () => {
  await using site = await startSite();
  const leaf = await site.ca.issue({ cn: HOST });
  site.servers.serve(HOST, [leaf, site.ca], [leaf, site.ca]);
  const { id } = await probed(site, HOST);
  site.app.clock.advance(1_000);
  site.servers.answer(HOST, { ...UNREACHABLE, address: "192.0.2.1" });
  await site.ask(`endpoints/${id}/probe/`, {});
  const ctx = { ...site.app.ctx, clock: site.app.clock };
  site.app.clock.advance(399 * DAY_MS);
  assert.deepEqual(await pruneObservations({ ctx }), { observations: 0 });
  site.app.clock.advance(2 * DAY_MS);
  assert.deepEqual(await pruneObservations({ ctx }), { observations: 1 });
  const left = await site.app.database.all(
    sql`SELECT address, state FROM observations WHERE endpoint_id = ${id as number} ORDER BY id`,
  );
  assert.deepEqual(left, [{ address: "192.0.2.2", state: "ok" }, {
    address: "192.0.2.1",
    state: "unreachable",
  }]);
});

Deno.test("endpoints of an agent that fell silent become unreachable once, and recover with its next report", async () => {
  await using site = await startSite();
  const leaf = await site.ca.issue({ cn: HOST });
  const report = (at: string): unknown => ({
    agent: "dmz",
    observations: [{
      ...{ host: HOST, address: "10.0.0.5", at, presented: [leaf.pem, site.ca.pem] },
      possession: "proven",
    }],
  });
  await site.ask("observations/push/", report("2026-06-15T12:00:00Z"));
  const ctx = { ...site.app.ctx, clock: site.app.clock };
  site.app.clock.advance(18 * 3_600_000 - 1);
  assert.deepEqual(await markSilentAgents({ ctx }), { silent: 0 });
  site.app.clock.advance(2);
  assert.deepEqual(await markSilentAgents({ ctx }), { silent: 1 });
  const [endpoint] = (await site.ask(`endpoints/?host=${HOST}`)).results as Record<string, unknown>[];
  assert.equal(endpoint?.state, "unreachable");
  assert.equal(endpoint?.state_message, "The agent has not reported since 2026-06-15T12:00:00Z.");
  assert.equal(endpoint?.last_probed, "2026-06-15T12:00:00Z", "the time of the last report");
  site.app.clock.advance(40 * 3_600_000);
  assert.deepEqual(await markSilentAgents({ ctx }), { silent: 0 });
  await site.ask("observations/push/", report("2026-06-17T12:00:00Z"));
  assert.equal((await site.ask(`endpoints/${endpoint?.id}/`)).state, "ok");
});

Deno.test("a scan job makes endpoints of the servers that it finds, and a second run knows them", async () => {
  const probing = {
    allowedNetworks: ["127.0.0.0/8"],
    concurrency: 8,
    discover: "create",
    retentionDays: 400,
  } as const;
  await using site = await startSite({ settings: { probing } });
  const leaf = await site.ca.issue({ cn: HOST, key: "rsa2048" });
  const port = freePort("127.77.0.1");
  await using server = await opensslServer({ leaf, chain: [site.ca], address: "127.77.0.1", port });
  await site.app.database.write((tx) => tx.run(sql`UPDATE scan_jobs SET next_run = NULL`));
  const job = await site.ask("scan-jobs/", {
    name: "Loopback",
    networks: ["127.77.0.0/29"],
    ports: [server.port],
    rate: 1_000,
    tenant: { slug: "acme" },
  });
  const context = () => ({
    ...site.app.ctx,
    clock: site.app.clock,
    settings: { ...site.app.ctx.settings, probing },
  });
  const run = () => runScanJob(context, { probe: probeBySockets, owner: "one" });
  assert.equal(await run(), true);
  assert.equal(await run(), false);
  const { last_result, last_run } = await site.ask(`scan-jobs/${job.id}/`);
  assert.deepEqual(last_result, { addresses: 8, answered: 1, created: 1, known: 0, stopped: false });
  assert.equal(last_run, "2026-06-15T12:00:00Z");
  const { results } = await site.ask("endpoints/?source=scan");
  const [found] = results as Record<string, unknown>[];
  assert.deepEqual([found?.host, found?.port, found?.server_name, found?.state], [
    "127.77.0.1",
    port,
    HOST,
    "ok",
  ]);
  assert.equal((found?.tenant as Record<string, unknown>).slug, "acme");
  site.app.clock.advance(2 * DAY_MS);
  assert.equal(await run(), true);
  const again = await site.ask(`scan-jobs/${job.id}/`);
  assert.deepEqual(again.last_result, { addresses: 8, answered: 1, created: 0, known: 1, stopped: false });
});

Deno.test("a job that is disabled while it runs stops, keeps what it found, and shows its progress", async () => {
  await using site = await startSite();
  await site.app.database.write((tx) => tx.run(sql`UPDATE scan_jobs SET next_run = NULL`));
  const leaf = await site.ca.issue({ cn: HOST });
  const { id } = await site.ask("scan-jobs/", { name: "Long", networks: ["10.3.0.0/16"], rate: 1 });
  const reached = Promise.withResolvers<void>();
  const context = () => ({ ...site.app.ctx, clock: site.app.clock });
  const running = runScanJob(context, {
    owner: "one",
    renewMs: 5,
    probe: () => {
      reached.resolve();
      return Promise.resolve([presenting([leaf, site.ca])]);
    },
  });
  await reached.promise;
  assert.equal((await site.ask(`scan-jobs/${id}/`)).last_result, null);
  await site.ask(`scan-jobs/${id}/`, { enabled: false }, "PATCH");
  // At a connection per second, the whole network takes 18 hours.
  assert.equal(await running, true);
  const job = await site.ask(`scan-jobs/${id}/`);
  const { stopped, addresses, created } = job.last_result as Record<string, number | boolean>;
  assert.equal(stopped, true);
  assert.ok(Number(addresses) >= 1 && Number(addresses) < 65_536);
  assert.equal(created, addresses);
  assert.equal((await site.ask("endpoints/?source=scan")).count, created);
  assert.equal(await runScanJob(context, { probe: () => Promise.resolve([]), owner: "one" }), false);
});

Deno.test("networks that overlap are scanned once", async () => {
  await using site = await startSite();
  await site.app.database.write((tx) => tx.run(sql`UPDATE scan_jobs SET next_run = NULL`));
  const networks = ["10.3.0.1", "10.3.0.0/30", "10.3.0.0/31", "10.3.0.1/32"];
  const { id } = await site.ask("scan-jobs/", { name: "Twice", networks, rate: 1_000 });
  const leaf = await site.ca.issue({ cn: HOST });
  const context = () => ({ ...site.app.ctx, clock: site.app.clock });
  const probe = () => Promise.resolve([presenting([leaf, site.ca])]);
  assert.equal(await runScanJob(context, { probe, owner: "one" }), true);
  assert.deepEqual((await site.ask(`scan-jobs/${id}/`)).last_result, {
    addresses: 4,
    answered: 4,
    created: 4,
    known: 0,
    stopped: false,
  });
});

Deno.test("a network that is not allowed is not scanned, and the job says so", async () => {
  await using site = await startSite();
  await site.app.database.write((tx) =>
    tx.run(sql`UPDATE scan_jobs SET next_run = NULL WHERE name <> 'Lab'`)
  );
  const { settings } = site.app.ctx;
  const closed = { ...settings, probing: { ...settings.probing, allowedNetworks: [] } };
  const context = () => ({ ...site.app.ctx, clock: site.app.clock, settings: closed });
  const probe = () => Promise.reject(new Error("No connection was expected"));
  assert.equal(await runScanJob(context, { probe, owner: "one" }), true);
  const { results } = await site.ask("scan-jobs/?name=Lab");
  const [job] = results as Record<string, Record<string, unknown>>[];
  assert.match(
    String(job?.last_result?.error),
    /^10\.1\.0\.0\/30 is not in CERTMGR_PROBE_ALLOWED_NETWORKS\./,
  );
});

Deno.test("a scan keeps its rate, and stops on request", async () => {
  const plan = { networks: ["127.0.0.0/24"], ports: [1], concurrency: 16, allowedNetworks: ["127.0.0.0/8"] };
  const stopping = new AbortController();
  let tried = 0;
  const started = performance.now();
  const count = await scan({ ...plan, rate: 100 }, {
    signal: stopping.signal,
    probe: () => {
      if (++tried === 30) stopping.abort();
      return Promise.resolve([UNREACHABLE]);
    },
    onHit: () => Promise.resolve(),
  });
  const seconds = (performance.now() - started) / 1_000;
  assert.ok(count >= 30 && count <= 30 + plan.concurrency, `${count} connections`);
  assert.ok(count <= seconds * 100 + 2, `${count} connections in ${seconds} s`);
});

Deno.test("a scan tries every address and port once", async () => {
  const seen: string[] = [];
  const hits: string[] = [];
  const answer = presenting([]);
  await scan({
    networks: ["10.0.0.0/30", "2001:db8::1"],
    ports: [443, 8443],
    rate: 1_000,
    concurrency: 3,
    allowedNetworks: [],
  }, {
    probe: ({ host, port }) => {
      seen.push(`${host} ${port}`);
      return Promise.resolve(port === 443 ? [answer] : [UNREACHABLE]);
    },
    onHit: ({ target }) => {
      hits.push(target.address);
      return Promise.resolve();
    },
  });
  assert.equal(seen.length, 10);
  assert.equal(new Set(seen).size, 10);
  assert.deepEqual(hits.sort(), ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "2001:db8::1"]);
});
