/** Nodes that probe share the endpoints, and take over those that a killed node had leased. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import { type Database, migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { startService, testFolder } from "../cli/process.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { opensslServer, relay, scriptedServer, type TlsServer } from "../support/tls_servers.ts";

/** More than one node probes at a time, and fewer than two nodes do. */
const ENDPOINTS = 50;
const CONCURRENCY = 32;
/** Time limit for taking over the work of a killed node. */
const TAKEOVER_MS = 60_000;

/** Starts a TLS server on all of 127.0.0.0/8 that counts connections by address and delays them. */
async function slowServer(): Promise<
  { server: TlsServer; counts: Map<string, number>; release(): void }
> {
  const ca = await TestCa.root({ cn: "Nodes" });
  const target = await opensslServer({
    leaf: await ca.issue({ cn: "nodes.example" }),
  });
  const counts = new Map<string, number>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const front = scriptedServer(async (connection) => {
    const { hostname } = connection.localAddr as Deno.NetAddr;
    counts.set(hostname, (counts.get(hostname) ?? 0) + 1);
    await released;
    await relay(connection, target);
  }, "0.0.0.0");
  const server: TlsServer = {
    ...front,
    [Symbol.asyncDispose]: async () => {
      await front[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
  return { server, counts, release };
}

async function addEndpoints(database: Database, port: number): Promise<void> {
  const now = systemClock.now();
  await database.write((tx) =>
    tx.run(
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ENDPOINTS})
          INSERT INTO endpoints (host, port, next_probe, created, last_updated)
          SELECT '127.77.0.' || n, ${port}, ${now}, ${now}, ${now} FROM numbers`,
    )
  );
}

async function until(
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  while (!await condition()) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function number(
  database: Database,
  query: ReturnType<typeof sql>,
): Promise<number> {
  const [row] = await database.all<{ n: number }>(query);
  return row!.n;
}

const notProbed = sql`SELECT count(*) AS n FROM endpoints WHERE last_probed IS NULL`;

/** Ends all leases, which last less than a minute. */
async function endLeases(database: Database): Promise<void> {
  const now = systemClock.now();
  const leased = await database.all<{ next_probe: number }>(
    sql`SELECT next_probe FROM endpoints WHERE last_probed IS NULL AND lease_owner IS NOT NULL`,
  );
  assert.ok(leased.length > 0);
  assert.ok(leased.every(({ next_probe }) => next_probe < now + TAKEOVER_MS));
  await database.write((tx) =>
    tx.run(
      sql`UPDATE endpoints SET next_probe = next_probe - ${TAKEOVER_MS} WHERE last_probed IS NULL`,
    )
  );
}

/** Asserts that every endpoint has one result: one observation of one probe, and one change of its state. */
async function assertOnce(database: Database): Promise<void> {
  const observed = await database.all<{ rows: number; probes: number }>(
    sql`SELECT count(*) AS rows, sum(probes) AS probes FROM observations GROUP BY endpoint_id`,
  );
  assert.deepEqual(observed, Array(ENDPOINTS).fill({ rows: 1, probes: 1 }));
  const changed = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM object_changes WHERE object_type = 'certmgr.endpoint' GROUP BY object_id`,
  );
  assert.deepEqual(changed, Array(ENDPOINTS).fill({ n: 1 }));
  assert.equal(
    await number(database, sql`SELECT count(*) AS n FROM certificates`),
    1,
  );
}

const COMMON = {
  CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8",
  CERTMGR_LOG_LEVEL: "error",
};

Deno.test("two nodes on one server share the endpoints, and one takes over those of the other when that is killed", async () => {
  await using libsql = await startLibsqlServer();
  await using folder = await testFolder();
  const database = openRemoteDatabase({ url: libsql.url });
  await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
  const { server, counts, release } = await slowServer();
  await using _ = server;
  const start = (name: string) =>
    startService({
      ...COMMON,
      CERTMGR_DATA_DIR: `${folder.path}/${name}`,
      CERTMGR_DATABASE_URL: libsql.url,
    });
  await using first = await start("one");
  await using _second = await start("two");
  await addEndpoints(database, server.port);
  await until(() => counts.size === ENDPOINTS);
  const shares = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM endpoints WHERE lease_owner IS NOT NULL GROUP BY lease_owner ORDER BY n`,
  );
  assert.deepEqual(shares, [{ n: ENDPOINTS - CONCURRENCY }, {
    n: CONCURRENCY,
  }]);
  first.signal("SIGKILL");
  await first.ended();
  release();
  const holders = sql`SELECT count(DISTINCT lease_owner) AS n FROM endpoints WHERE last_probed IS NULL`;
  await until(async () => (await number(database, holders)) === 1);
  await endLeases(database);
  await until(async () => (await number(database, notProbed)) === 0);
  await assertOnce(database);
  // Only endpoints whose probes the killed node had started were connected to twice.
  const again = [...counts.values()].filter((count) => count > 1).length;
  assert.ok(
    again === CONCURRENCY || again === ENDPOINTS - CONCURRENCY,
    `${again}`,
  );
  database.close();
});

Deno.test("endpoints that a killed service had claimed are probed once after its next start", async () => {
  await using folder = await testFolder();
  const env = { ...COMMON, CERTMGR_DATA_DIR: folder.path };
  const { server, counts, release } = await slowServer();
  await using _ = server;
  const killed = await startService(env);
  const database = await openFileDatabase({
    path: `${folder.path}/certmgr.db`,
  });
  try {
    await addEndpoints(database, server.port);
    await until(() => counts.size === CONCURRENCY);
    killed.signal("SIGKILL");
    await killed.ended();
    release();
    assert.equal(await number(database, notProbed), ENDPOINTS);
    await endLeases(database);
    await using _next = await startService(env);
    await until(async () => (await number(database, notProbed)) === 0);
    await assertOnce(database);
  } finally {
    database.close();
  }
});
