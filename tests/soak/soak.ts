/**
 * Two nodes on one libSQL server under mixed load, one of them killed every few seconds: no answered write is lost, no
 * certificate is swept twice, every event is delivered. `deno task soak --seconds 600 --kill-every 10 --workers 1`. With
 * several workers, every second kill is that of one worker, which its supervisor replaces.
 */

import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { sql } from "drizzle-orm";
import { DELIVERY_LEASE_MS } from "../../src/base/limits.ts";
import { systemClock } from "../../src/base/clock.ts";
import { type Database, migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { type RunningService, startService, testFolder } from "../cli/process.ts";
import {
  assertDelivered,
  receivedBy,
  settled,
  startProgram,
  subscribe,
  TOKEN,
} from "../domain/webhooks/sending/processes.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { client, type Reported } from "./load.ts";
import { changeLog, statusesOf } from "../support/change_log.ts";

const CLIENTS = 4;

/** Duration without the starts of nodes, and the interval of kills, in seconds. */
export interface Soak {
  readonly seconds: number;
  readonly killEvery: number;
  /** Workers of each node. */
  readonly workers?: number;
}

/** Runs the soak test. Throws if anything was wrong, and returns its figures in one line. */
export async function soak({ seconds, killEvery, workers = 1 }: Soak): Promise<string> {
  await using server = await startLibsqlServer();
  const database = openRemoteDatabase({ url: server.url });
  await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
  await using receiver = await startProgram("tests/domain/webhooks/sending/receiver_process.ts");
  await using folder = await testFolder();
  const start = (node: number): Promise<RunningService> =>
    startService({
      CERTMGR_DATA_DIR: `${folder.path}/node${node}`,
      CERTMGR_DATABASE_URL: server.url,
      CERTMGR_ADMIN_TOKEN: TOKEN,
      CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
      CERTMGR_LOG_LEVEL: "error",
      CERTMGR_WORKERS: String(workers),
    });
  const nodes = [await start(0), await start(1)];
  const reported: Reported = { present: new Map(), gone: new Set(), statuses: new Map(), wrong: [] };
  let kills = 0;
  try {
    await subscribe(nodes[0]!.url, receiver.url);
    const stop = new AbortController();
    const urls = (): string[] => nodes.map(({ url }) => url);
    const clients = Array.from({ length: CLIENTS }, (_, number) => {
      return client(urls, { number, reported, stop: stop.signal });
    });
    // A number of kills, not a time limit, so that it does not depend on how long nodes take to start.
    const times = Math.max(1, Math.ceil(seconds / killEvery) - 1);
    while (kills < times) {
      await new Promise((done) => setTimeout(done, killEvery * 1_000));
      const victim = kills++ % 2;
      const node = nodes[victim]!;
      const children = workers === 1 ? [] : await childrenOf(node.pid);
      if (workers > 1 && kills % 4 < 2) {
        Deno.kill(children[kills % children.length] as number, "SIGKILL");
        continue;
      }
      node.signal("SIGKILL");
      for (const child of children) Deno.kill(child, "SIGKILL");
      await node.ended();
      nodes[victim] = await start(victim);
    }
    await new Promise((done) => setTimeout(done, killEvery * 1_000));
    stop.abort();
    await Promise.all(clients);
    await settled(database, DELIVERY_LEASE_MS + 360_000);
    await assertKept(database, reported);
    await assertSweptOnce(database);
    const { messages } = await assertDelivered(database, await receivedBy(receiver));
    const statuses = [...reported.statuses].map(([status, count]) => `${status || "cut off"}: ${count}`).join(
      ", ",
    );
    return `${kills} kills, ${reported.present.size} certificates, ${messages} messages; answers ${statuses}`;
  } finally {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    database.close();
  }
}

/** Returns the process ids of a supervisor's workers. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await new Deno.Command("pgrep", { args: ["-P", String(pid)] }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").map(Number);
}

/** Asserts that each answered write is stored, and that deleted objects do not exist. */
async function assertKept(database: Database, { present, gone, wrong }: Reported): Promise<void> {
  assert.deepEqual(wrong, []);
  const rows = await database.all<{ id: number; location: string }>(
    sql`SELECT id, private_key_location AS location FROM certificates`,
  );
  const stored = new Map(rows.map(({ id, location }) => [id, location]));
  const lost = [...present].filter(([id, location]) =>
    location === null ? !stored.has(id) : stored.get(id) !== location
  );
  assert.deepEqual(lost, [], "Answered writes that are not there");
  assert.deepEqual([...gone].filter((id) => stored.has(id)), [], "Deleted certificates that are back");
  assert(present.size > 0 && gone.size > 0, "Nothing was written");
}

/** Asserts that the sweep of a certificate is a single change, whichever node made it. */
async function assertSweptOnce(database: Database): Promise<void> {
  const swept = (await changeLog(database)).filter((change) => {
    const { before, after } = statusesOf(change);
    return change.object_type === "certmgr.certificate" && change.action === "update" &&
      after === "expired" && before !== "expired";
  }).map((change) => change.object_id);
  assert(swept.length > 0, "Nothing was swept");
  const twice = swept.filter((id, place) => swept.indexOf(id) !== place);
  assert.deepEqual(twice, [], "Certificates that were swept twice");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      "seconds": { type: "string", default: "600" },
      "kill-every": { type: "string", default: "10" },
      "workers": { type: "string", default: "1" },
    },
  });
  const [seconds, killEvery, workers] = [values.seconds, values["kill-every"], values.workers].map(Number);
  console.log(
    await soak({ seconds: seconds as number, killEvery: killEvery as number, workers: workers as number }),
  );
}
