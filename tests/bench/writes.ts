/**
 * `deno task bench:writes [-- --count 100000] [--stored 10000] [--folder F]`: measures processor time and WAL pages of
 * imports, and the space of a stored certificate in tables and indexes. Certificates are like those of public CAs. The
 * application runs in this process without a socket.
 */

import Native from "libsql";
import process from "node:process";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { type UsualPem, usualPems } from "./usual_pems.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:writes", {
  count: ["100000", "Number of certificates"],
  stored: ["10000", "Certificates whose import measures the space of each"],
  singles: ["400", "Imports of one certificate"],
  bulks: ["20", "Imports of many certificates"],
  rounds: ["3", "Rounds"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
  json: [false, "Print one line of JSON"],
});
const ADDRESS = "http://bench.test/api/plugins/certmgr/certificates/";
/** Frames of a WAL file have the number of a page, 20 other bytes, and the page. A header comes before them. */
const [FRAME_BYTES, WAL_HEADER_BYTES] = [4120, 32];
/** Imports whose pages are counted: those of one group, in which certificates enter the full-text index. */
const COUNTED = 32;

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
const path = `${folder}/writes-${Deno.pid}.db`;
const main = await benchDatabase(Number(values.count), folder);
await Deno.copyFile(main, path);
const database = await openFileDatabase({ path });
const app = benchApp(database);
let next = 1;

async function post(address: string, body: unknown): Promise<void> {
  const response = await app.fetch(
    new Request(ADDRESS + address, {
      method: "POST",
      headers: { authorization: `Token ${BENCH_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    { remoteAddr: { hostname: "127.0.0.1" } },
  );
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${address}: ${response.status} ${text.slice(0, 500)}`);
}

async function pems(count: number): Promise<UsualPem[]> {
  next += count;
  return await usualPems(next - count, count);
}

const own = (number: number): unknown => ({ tenant: number % 200 + 1, tags: [number % 20 + 1] });

async function single(count: number): Promise<() => Promise<void>> {
  const bodies = (await pems(count)).map(({ withChain }, index) => ({
    pem_content: withChain,
    ...own(index) as object,
  }));
  return async () => {
    for (const body of bodies) await post("import/", body);
  };
}

async function bulk(count: number): Promise<() => Promise<void>> {
  const bodies: unknown[] = [];
  for (let at = 0; at < count; at++) {
    bodies.push(
      (await pems(100)).map(({ withChain }, index) => ({ pem_content: withChain, ...own(index) as object })),
    );
  }
  return async () => {
    for (const body of bodies) await post("bulk-import/", body);
  };
}

/** Returns the milliseconds of processor time per call. */
async function cpu(count: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

/** Returns the rows of a statement on a separate connection. */
function read(text: string): unknown[] {
  const connection = new Native(path, { timeout: 5_000 });
  try {
    return connection.prepare(text).all();
  } finally {
    connection.close();
  }
}

/** Returns the mean number of WAL pages of an import, by table and index. */
async function walPages(): Promise<Map<string, number>> {
  const work = await single(COUNTED);
  read("PRAGMA wal_checkpoint(TRUNCATE)");
  await work();
  const wal = await Deno.readFile(`${path}-wal`);
  const view = new DataView(wal.buffer);
  const frames = (wal.length - WAL_HEADER_BYTES) / FRAME_BYTES;
  const numbers = Array.from(
    { length: frames },
    (_, at) => view.getUint32(WAL_HEADER_BYTES + at * FRAME_BYTES),
  );
  const parts = new Map(
    (read("SELECT pageno, name FROM dbstat") as { pageno: number; name: string }[])
      .map(({ pageno, name }) => [pageno, name]),
  );
  const byPart = Map.groupBy(numbers, (number) => parts.get(number) ?? "free pages");
  return new Map([...byPart].map(([part, pages]) => [part, pages.length / COUNTED]));
}

function sizes(): Map<string, number> {
  const rows = read("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name");
  return new Map((rows as { name: string; bytes: number }[]).map(({ name, bytes }) => [name, bytes]));
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

/** Prints the parts, the largest first, and their sum. */
function printParts(heading: string, parts: ReadonlyMap<string, number>): void {
  console.log(`| Part | ${heading} |\n| --- | --- |`);
  for (const [part, number] of [...parts].toSorted(([, a], [, b]) => b - a)) {
    console.log(`| ${part} | ${number.toFixed(1)} |`);
  }
  console.log(`| **all** | ${sum(parts.values()).toFixed(1)} |\n`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

try {
  await (await single(200))();
  await (await bulk(5))();
  const [ones, hundreds]: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round++) {
    ones.push(await cpu(Number(values.singles), await single(Number(values.singles))));
    hundreds.push(await cpu(Number(values.bulks), await bulk(Number(values.bulks))));
  }
  const pages = await walPages();
  const before = sizes();
  const stored = Number(values.stored);
  for (let done = 0; done < stored; done += 1_000) await (await bulk(10))();
  const after = sizes();
  const grown = new Map(
    [...after].map(([part, bytes]) => [part, (bytes - (before.get(part) ?? 0)) / stored] as const)
      .filter(([, bytes]) => bytes > 0),
  );
  if (values.json) {
    const [wal, total] = [sum(pages.values()), sum(grown.values())];
    console.log(JSON.stringify({ one: median(ones), hundred: median(hundreds), pages: wal, total }));
  } else {
    console.log(`| Import of | CPU |\n| --- | --- |`);
    console.log(`| one PEM with its chain | ${median(ones).toFixed(2)} ms |`);
    console.log(`| 100 PEMs with chains | ${median(hundreds).toFixed(1)} ms |\n`);
    printParts("WAL pages of an import", pages);
    printParts("Bytes of a stored certificate", grown);
  }
} finally {
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) await Deno.remove(path + suffix).catch(() => {});
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
