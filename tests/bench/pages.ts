/**
 * `deno task bench:pages [-- --count 1000] [--seconds 2]`: measures the pages. The list of 50 certificates is compared
 * with the REST request for the same rows, filter and order, alternately, so that both run under the same load; the
 * goal is at most twice its time. Then every page is measured with the size of its HTML. Requests go through the whole
 * application, but not through a socket.
 */

import { hashKey, sessionCookieName } from "../../src/auth/mod.ts";
import { createApp } from "../../src/app.ts";
import { sha256Hex } from "../../src/base/bytes.ts";
import { DAY_MS } from "../../src/base/clock.ts";
import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import { createLogger } from "../../src/base/log.ts";
import { type Database, insertRows } from "../../src/db/mod.ts";
import { sessions, tokens, users } from "../../src/db/schema/mod.ts";
import { routes } from "../../src/web/routes.ts";
import { testClock, testContext } from "../support/context.ts";
import { testFileDatabase } from "../support/database.ts";
import { fillInventory, GENERATED_NOW } from "./inventory.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:pages", {
  count: ["1000", "Number of certificates"],
  seconds: ["2", "Seconds of each comparison"],
});
const SECONDS = Number(values.seconds);
const KEY = "b".repeat(40);
const SECRET = "s".repeat(43);
const API = "/api/plugins/certmgr/certificates/";
/** Maximum time of a page, as a multiple of the REST request for the same rows. */
const GOAL = 2;

/** The REST request with the default filters of the list of certificates. */
const USUAL = `${API}?status=active&status=pending&status=expired&ordering=valid_to`;

/** Pairs of a page and the API request that returns the same rows. */
const TWINS: readonly (readonly [name: string, page: string, twin: string])[] = [
  ["50 certificates", "/certificates/", USUAL],
  ["… of every status", "/certificates/?show=all", `${API}?ordering=valid_to`],
  ["… searched", "/certificates/?q=shop", `${USUAL}&q=shop`],
  ["… second page", "/certificates/?offset=50", `${USUAL}&offset=50`],
  ["one certificate", "/certificates/7/", `${API}7/`],
  ["50 devices", "/devices/", "/api/dcim/devices/"],
];

const database = await testFileDatabase();
const clock = testClock(GENERATED_NOW);
await fillInventory(database, { count: Number(values.count) });
await insertPerson(database);
const app = createApp({
  database,
  clock,
  log: createLogger({ level: "error", now: clock.now, write: (line) => console.error(line) }),
  settings: testContext({ database, clock }).settings,
  trustedProxies: [],
  corsOrigins: [],
  maxBodyBytes: MAX_BODY_BYTES,
  rateLimit: 0,
});

async function insertPerson(into: Database): Promise<void> {
  const stamps = { created: GENERATED_NOW, last_updated: GENERATED_NOW };
  const session = { secret_hash: sha256Hex(SECRET), csrf: SECRET, expires: GENERATED_NOW + DAY_MS };
  await into.write((tx) =>
    tx.runAll([
      insertRows(users, [{ id: 1, username: "bench", password_hash: null, is_superuser: 1, ...stamps }]),
      insertRows(tokens, [{ user_id: 1, key_hash: hashKey(KEY), key_prefix: "bbbbbbbb", ...stamps }]),
      insertRows(sessions, [
        {
          user_id: 1,
          ...session,
          created: GENERATED_NOW,
          last_seen: GENERATED_NOW,
          address: "",
          user_agent: "",
        },
      ]),
    ])
  );
}

async function bodyOf(path: string, encoding?: "br"): Promise<ArrayBuffer> {
  const headers = {
    ...(path.startsWith("/api/")
      ? { authorization: `Token ${KEY}` }
      : { cookie: `${sessionCookieName("http://bench.test")}=${SECRET}` }),
    ...(encoding === undefined ? {} : { "accept-encoding": encoding }),
  };
  const response = await app.fetch(new Request(`http://bench.test${path}`, { headers }));
  const body = await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return body;
}

/** Sends a request and returns the bytes of its response. */
async function ask(path: string, encoding?: "br"): Promise<number> {
  return (await bodyOf(path, encoding)).byteLength;
}

/** Returns the bytes of a page and of its files, as a browser without a cache receives them. */
async function firstVisit(path: string): Promise<number> {
  const html = new TextDecoder().decode(await bodyOf(path));
  const files = new Set([...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file as string));
  const sizes = await Promise.all([path, ...files].map((each) => ask(each, "br")));
  return sizes.reduce((sum, size) => sum + size, 0);
}

let asked = 0;

/** Makes an API request unique, so that its response is not cached: pages are not cached either. */
function fresh(path: string): string {
  return path.startsWith("/api/") ? `${path}${path.includes("?") ? "&" : "?"}exclude=n${asked++}` : path;
}

/** Returns the median milliseconds of both, measured alternately. */
async function compare(one: string, other: string): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let warm = 0; warm < 20; warm++) for (const path of [one, other]) await ask(fresh(path));
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end;) {
    for (const [index, path] of [one, other].entries()) {
      const request = fresh(path);
      const started = performance.now();
      await ask(request);
      times[index as 0 | 1].push(performance.now() - started);
    }
  }
  const [first, second] = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1] as number);
  return [first as number, second as number];
}

console.log(`${values.count} certificates\n`);
console.log("page                        page ms   REST ms   times   page KB   REST KB");
let worst = 0;
for (const [name, page, twin] of TWINS) {
  const [ours, theirs] = await compare(page, twin);
  worst = Math.max(worst, name === TWINS[0]?.[0] ? ours / theirs : 0);
  const sizes = [await ask(page), await ask(twin)].map((bytes) => (bytes / 1000).toFixed(1).padStart(9));
  const cells = [
    ours.toFixed(2).padStart(9),
    theirs.toFixed(2).padStart(9),
    (ours / theirs).toFixed(2).padStart(7),
  ];
  console.log(`${name.padEnd(26)} ${cells.join(" ")} ${sizes.join(" ")}`);
}
console.log(`\nThe list of 50 takes ${worst.toFixed(2)} times its REST twin, expected at most ${GOAL}\n`);

console.log("page                              KB   compressed");
let largest = 0;
for (const { method, path } of routes) {
  if (method !== "GET" || path.includes(":") || /export|template/.test(path)) continue;
  const [plain, packed] = [await ask(path), await ask(path, "br")];
  largest = Math.max(largest, packed);
  console.log(`${path.padEnd(28)} ${kilobytes(plain)} ${kilobytes(packed).padStart(12)}`);
}
console.log(
  `\nThe first visit, with styles and scripts: ${kilobytes(await firstVisit("/")).trim()} KB (aim: 80)`,
);
console.log(`The largest later page: ${kilobytes(largest).trim()} KB (aim: 25)`);
await database[Symbol.asyncDispose]();

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1).padStart(7);
}
