/**
 * `deno task bench [-- --counts 1000,100000] [--seconds 1]`: compares requests with their minimum, with increasing
 * data. The minimum is the same SQL run by the plain libSQL client, and the same response made by `JSON.stringify`.
 * Requests go through the whole application, but not through a socket, which would cost both the same. Growth compares
 * processor time with that of the first count, because elapsed time depends on other load of the machine.
 */

import { createClient } from "@libsql/client";
import { sql } from "drizzle-orm";
import process from "node:process";
import type { Database } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { certificates } from "../../src/db/schema/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { type Recorded, recording } from "./recording.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench", {
  counts: ["1000,100000,1000000", "Numbers of certificates"],
  seconds: ["1", "Seconds of each measurement"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
});
const SECONDS = Number(values.seconds);
const BASE = "/api/plugins/certmgr/certificates/";
const EXPORT = `${BASE}export/?id__lte=1000`;

interface Case {
  readonly name: string;
  /** Returns a new request; `n` is its number. */
  readonly request: (n: number) => Request;
  /** The request for the same rows as JSON, if the response is in another format. */
  readonly asJson?: () => Request;
}

/** Requests the same rows with a different URL each time, so that no response is cached. */
function get(path: string): (n?: number) => Request {
  return (n = 0) => again(`${path}${path.includes("?") ? "&" : "?"}exclude=${n}`)();
}

/** Sends the same request each time; its response is cached until something is committed. */
function again(path: string): () => Request {
  return () => new Request(`http://bench.test${path}`, { headers: { authorization: `Token ${BENCH_KEY}` } });
}

function post(path: string, body: (n: number) => unknown): (n: number) => Request {
  return (n) =>
    new Request(`http://bench.test${path}`, {
      method: "POST",
      headers: { authorization: `Token ${BENCH_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body(n)),
    });
}

function metadata(n: number): unknown {
  const digits = (Date.now() * 1000 + n).toString(16);
  return {
    common_name: `new-${digits}.example.com`,
    serial_number: digits,
    issuer: "CN=Bench CA",
    valid_from: "2026-01-01T00:00:00Z",
    valid_to: "2027-01-01T00:00:00Z",
    fingerprint_sha256: digits.padStart(64, "0"),
    algorithm: "rsa",
    key_size: 2048,
    sans: [`new-${digits}.example.com`],
  };
}

async function cases(count: number, host: string): Promise<Case[]> {
  const ca = await TestCa.root({ cn: "Bench Root" });
  const pems: string[] = [];
  for (let n = 0; n < 3000; n++) pems.push((await ca.issue({ cn: `bench-${n}.example.com` })).pem);
  let imported = 0;
  return [
    { name: "list of 50", request: get(BASE) },
    { name: "list of 50, again", request: again(BASE) },
    { name: "filter status + tenant", request: get(`${BASE}?status=active&tenant_id=7&limit=3`) },
    {
      name: "contains-search",
      request: get(`${BASE}?common_name__ic=${encodeURIComponent(host.toUpperCase())}`),
    },
    { name: "order by valid_to", request: get(`${BASE}?ordering=valid_to`) },
    {
      name: "broad search (one in 64)",
      request: get(`${BASE}?common_name__ic=API-`),
    },
    { name: "half-way offset", request: get(`${BASE}?offset=${count >> 1}`) },
    { name: "half-way offset, valid_to", request: get(`${BASE}?offset=${count >> 1}&ordering=valid_to`) },
    { name: "deep offset (nine tenths)", request: get(`${BASE}?offset=${Math.floor(count * 0.9)}`) },
    { name: "cursor page", request: get(`${BASE}?start=${Math.floor(count / 2)}`) },
    { name: "detail", request: (n) => get(`${BASE}${(n * 7919) % count + 1}/`)() },
    { name: "export of 1,000 (JSON)", request: get(`${EXPORT}&format=json`) },
    {
      name: "export of 1,000 (CSV)",
      request: get(`${EXPORT}&format=csv`),
      asJson: get(`${EXPORT}&format=json`),
    },
    { name: "export of 1,000, again", request: again(`${EXPORT}&format=json`) },
    { name: "create", request: post(BASE, metadata) },
    {
      name: "import",
      request: post(`${BASE}import/`, () => ({ pem_content: pems[imported++ % pems.length] })),
    },
  ];
}

/** Returns the name of one certificate, which people search for and which is as rare in a million as in a thousand. */
async function hostOf(database: Database, id: number): Promise<string> {
  const [row] = await database.all<{ common_name: string }>(
    sql`SELECT common_name FROM ${certificates} WHERE id = ${id}`,
  );
  return row?.common_name ?? "";
}

interface Measured {
  /** Runs per second. */
  readonly rate: number;
  /** Median microseconds of a run. */
  readonly median: number;
  /** Microseconds of processor time per run. */
  readonly cpu: number;
}

async function measure(run: (n: number) => Promise<void> | void, most = Infinity): Promise<Measured> {
  const times: number[] = [];
  for (let n = 0; n < Math.min(20, most / 10); n++) await run(n);
  const end = performance.now() + SECONDS * 1000;
  const before = process.cpuUsage();
  for (let n = 100; performance.now() < end && times.length < most; n++) {
    const started = performance.now();
    await run(n);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  const total = times.reduce((sum, time) => sum + time, 0);
  times.sort((a, b) => a - b);
  return {
    rate: times.length / total * 1000,
    median: (times[times.length >> 1] ?? 0) * 1000,
    cpu: (user + system) / times.length,
  };
}

/**
 * Returns a statement with separate columns, as a plain client would select them, in place of the columns that we pack
 * into one JSON value.
 */
function unpacked(sql: string): string {
  const rows = /AS grouped FROM \(.*? FROM \((.*)\)\) WHERE length > 0/s.exec(sql)?.[1] ?? sql;
  return rows.replace(/SELECT json_array\((.*)\) AS packed/s, "SELECT $1");
}

/** Measures the minimum: the same statements by the plain client, and the same response by `JSON.stringify`. */
async function floorOf(path: string, recorded: Recorded, answer: unknown): Promise<Measured> {
  const client = createClient({ url: `file:${path}` });
  try {
    const { statements, transaction } = recorded;
    const plain = statements.map((statement) => ({ ...statement, sql: unpacked(statement.sql) }));
    if (!transaction) {
      return await measure(async () => {
        for (const statement of plain) await client.execute(statement);
        JSON.stringify(answer);
      });
    }
    return await measure(async (n) => {
      const tx = await client.transaction("write");
      try {
        // The write is rolled back, so that the same rows can be written again; then one write follows, for a commit
        // that reaches the disk.
        await tx.execute("SAVEPOINT floor");
        for (const statement of plain) await tx.execute(statement);
        await tx.execute("ROLLBACK TO floor");
        await tx.execute({ sql: "UPDATE users SET last_login = ? WHERE id = 1", args: [n] });
        await tx.commit();
      } finally {
        tx.close();
      }
      JSON.stringify(answer);
    });
  } finally {
    client.close();
  }
}

async function benchOne(count: number, folder: string, first: Map<string, number>): Promise<void> {
  const path = await benchDatabase(count, folder);
  const database = recording(await openFileDatabase({ path }));
  const app = benchApp(database);
  for (const { name, request, asJson } of await cases(count, await hostOf(database, count >> 1))) {
    await (await app.fetch(request(0))).text();
    database.begin();
    const response = await app.fetch(request(1));
    const text = await response.text();
    const recorded = database.end();
    if (response.status >= 400) throw new Error(`${name}: ${response.status} ${text}`);
    const answer = JSON.parse(asJson === undefined ? text : await (await app.fetch(asJson())).text());
    const floor = await floorOf(path, recorded, answer);
    let last = 200;
    const ours = await measure(async (n) => {
      const each = await app.fetch(request(n + 2));
      await each.text();
      if (each.status >= 400) last = each.status;
    }, name === "import" ? 2500 : Infinity);
    if (last >= 400) throw new Error(`${name}: ${last}`);
    const base = first.get(name) ?? ours.cpu;
    first.set(name, base);
    print([
      String(count),
      name,
      String(recorded.statements.length),
      Math.round(ours.rate).toString(),
      Math.round(ours.median).toString(),
      Math.round(ours.cpu).toString(),
      Math.round(floor.rate).toString(),
      (ours.rate / floor.rate).toFixed(2),
      (ours.cpu / base).toFixed(2),
    ]);
  }
  database.close();
}

const WIDTHS = [9, 27, 5, 8, 8, 8, 8, 8, 8];

function print(cells: readonly string[]): void {
  console.log(
    cells.map((cell, index) => index === 1 ? cell.padEnd(27) : cell.padStart(WIDTHS[index] ?? 8)).join(" "),
  );
}

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
await Deno.mkdir(folder, { recursive: true });
try {
  print(["rows", "request", "SQL", "per s", "µs", "CPU µs", "floor/s", "of floor", "growth"]);
  const first = new Map<string, number>();
  for (const count of values.counts.split(",").map(Number)) await benchOne(count, folder, first);
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
