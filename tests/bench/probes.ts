/**
 * Measures the effect of probes on other requests: a running service probes endpoints on loopback addresses at a rate,
 * and a client measures its requests in windows with and without probes. `probes.ts --per-hour 10000 --seconds 30
 * --windows 3`; then all remaining endpoints are due at once, for `--seconds`. Servers of openssl answer on all of
 * 127.0.0.0/8.
 */

import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import type { Database } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { startService, testFolder } from "../cli/process.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { opensslServer } from "../support/tls_servers.ts";
import { benchDatabase } from "./bench_database.ts";
import { figures, loadFor, quantile } from "./load.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:probes", {
  "per-hour": ["10000", "Probes per hour"],
  seconds: ["30", "Seconds of each window, at most 60"],
  windows: ["3", "Windows with and without probes, at most 5"],
});
const perHour = Number(values["per-hour"]);
/** At most 10,000 endpoints and 10 minutes. */
const ENDPOINTS = 10_000;
const CERTIFICATES = 10_000;
const seconds = Math.min(Number(values.seconds), 60);
const windows = Math.min(Number(values.windows), 5);
/** openssl's server handles one connection after another, so several share the endpoints. */
const SERVERS = 4;
const FAR = 4_000_000_000_000;

const ca = await TestCa.root({ cn: "Bench", key: "rsa2048" });
const servers = await Promise.all(
  Array.from({ length: SERVERS }, async (_, index) => {
    const now = systemClock.now();
    const leaf = await ca.issue({
      cn: `bench${index}.example`,
      key: "rsa2048",
      notBefore: now - 1_000,
      notAfter: now + 90 * 86_400_000,
    });
    return await opensslServer({ leaf, chain: [ca], address: "0.0.0.0" });
  }),
);
await using folder = await testFolder();
const path = await benchDatabase(CERTIFICATES, folder.path);
await using database = disposable(await openFileDatabase({ path }));
await database.write((tx) =>
  tx.run(
    sql`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${
      ENDPOINTS - 1
    })
        INSERT INTO endpoints (host, port, next_probe, created, last_updated)
        SELECT '127.' || (n / 62500 + 1) || '.' || (n / 250 % 250) || '.' || (n % 250 + 1),
          json_extract(${
      JSON.stringify(servers.map(({ port }) => port))
    }, '$[' || (n % ${SERVERS}) || ']'), ${FAR}, 1, 1
        FROM numbers`,
  )
);
await using service = await startService({
  CERTMGR_DATA_DIR: folder.path,
  CERTMGR_DATABASE_URL: `file:${path}`,
  CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8",
  CERTMGR_LOG_LEVEL: "error",
  CERTMGR_RATE_LIMIT: "0",
});

const target = { url: service.url, certificates: CERTIFICATES };
const idle: number[] = [];
const busy: number[] = [];
await loadFor(target, 5);
for (let round = 0; round < windows; round++) {
  idle.push(...await loadFor(target, seconds));
  const count = Math.round(perHour * seconds / 3_600);
  await schedule(database, { count, overMs: seconds * 1_000 });
  busy.push(...await loadFor(target, seconds));
  await schedule(database, { count: 0, overMs: 1 });
}
const before = await probedCount(database);
console.log(`Idle: ${figures(idle)}`);
console.log(`${perHour} probes an hour: ${figures(busy)}; ${before} probed`);
console.log(`p99 ratio: ${(quantile(busy, 0.99) / quantile(idle, 0.99)).toFixed(2)}`);
await schedule(database, { count: ENDPOINTS, overMs: 1 });
const started = performance.now();
const sweep = await loadFor(target, seconds);
const probed = await probedCount(database) - before;
const rate = Math.round(probed / (performance.now() - started) * 3_600_000);
console.log(`All due at once: ${figures(sweep)}; ${probed} probed, ${rate} an hour`);
console.log(
  JSON.stringify(await database.all(sql`SELECT state, count(*) AS n FROM endpoints GROUP BY state`)),
);
await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));

/** Makes unprobed endpoints due at evenly distributed times; `count: 0` cancels the rest. */
async function schedule(
  database: Database,
  { count, overMs }: { count: number; overMs: number },
): Promise<void> {
  const now = systemClock.now();
  await database.write(async (tx) => {
    await tx.run(sql`UPDATE endpoints SET next_probe = ${FAR} WHERE lease_owner IS NULL`);
    await tx.run(
      sql`UPDATE endpoints SET next_probe = ${now} + chosen.place * ${
        Math.floor(overMs / Math.max(1, count))
      } FROM (
            SELECT id, row_number() OVER (ORDER BY id) AS place FROM endpoints WHERE last_probed IS NULL
            ORDER BY id LIMIT ${count}) AS chosen WHERE endpoints.id = chosen.id`,
    );
  });
}

async function probedCount(database: Database): Promise<number> {
  const [row] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM endpoints WHERE last_probed IS NOT NULL`,
  );
  return row?.n ?? 0;
}

function disposable(database: Database): Database & AsyncDisposable {
  return Object.assign(database, { [Symbol.asyncDispose]: () => Promise.resolve(database.close()) });
}
