/**
 * Measures the effect of daily digests on other requests: a running service computes and sends the digests of many
 * subscriptions over a large inventory, and a client measures its requests before and during this. `notices.ts
 * --certificates 100000 --subscriptions 1000 --seconds 20 --workers 1 --folder DIR` (kept databases). The first digest
 * is the largest possible one: every certificate that expires soon is new to every subscription. The second one has
 * hardly anything new.
 */

import { sql } from "drizzle-orm";
import { systemClock } from "../../src/base/clock.ts";
import type { Database } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { startService, testFolder } from "../cli/process.ts";
import { benchDatabase } from "./bench_database.ts";
import { figures, load, loadFor, quantile } from "./load.ts";
import { addSubscriptions } from "./subscriptions.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:notices", {
  certificates: ["100000", "Number of certificates"],
  subscriptions: ["1000", "Number of subscriptions"],
  seconds: ["20", "Seconds of the measurement before the digests"],
  workers: ["1", "Workers of the service"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
});
const [certificates, count, seconds] = [values.certificates, values.subscriptions, values.seconds]
  .map(Number) as [number, number, number];
/** Time limit of a step; the service checks for due jobs once a minute. */
const PATIENCE_MS = 300_000;
/** Processor time in a second, in milliseconds, below which no job is running. */
const IDLE_CPU_MS = 60;

await using folder = await testFolder();
const path = `${folder.path}/notices.db`;
await Deno.copyFile(await benchDatabase(certificates, values.folder ?? folder.path), path);
await using database = disposable(await openFileDatabase({ path }));
await addSubscriptions(database, { count, now: systemClock.now() });
const mail = new Worker(import.meta.resolve("./mail_worker.ts"), { type: "module" });
const mailPort = await nextOf(mail);
await using service = await startService({
  CERTMGR_DATA_DIR: folder.path,
  CERTMGR_DATABASE_URL: `file:${path}`,
  CERTMGR_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  CERTMGR_MAIL_FROM: "certmgr@bench.example",
  CERTMGR_LOG_LEVEL: "error",
  CERTMGR_RATE_LIMIT: "0",
  CERTMGR_WORKERS: values.workers,
});
const target = { url: service.url, certificates };
// Warms up the service; the jobs of the start may still be running afterwards.
await loadFor(target, 5);
await until(isIdle);

for (const name of ["First digest", "Second digest"]) {
  const idle = await loadFor(target, seconds);
  await database.write((tx) => tx.run(sql`UPDATE subscriptions SET next_run = 0`));
  await until(async () => await dueCount() < count);
  const [started, counted, cpu] = [performance.now(), await received(), await cpuTime()];
  let computed = 0;
  const busy = await load(target, async () => {
    if (await dueCount() > 0 && performance.now() - started < PATIENCE_MS) return true;
    computed = performance.now() - started;
    return false;
  });
  await until(async () => await pendingCount() === 0);
  const sent = performance.now() - started;
  console.log(
    `${name}: ${count} subscriptions computed in ${text(computed)}, ` +
      `${await received() - counted} messages received in ${text(sent)}, ` +
      `${text(await cpuTime() - cpu)} of processor time`,
  );
  console.log(`  Requests before: ${figures(idle)}`);
  console.log(`  Requests meanwhile: ${figures(busy)}`);
  console.log(`  p99 ratio: ${(quantile(busy, 0.99) / quantile(idle, 0.99)).toFixed(2)}`);
}
mail.terminate();

/** Returns the number of messages that the mail server has received. */
async function received(): Promise<number> {
  const answer = nextOf(mail);
  mail.postMessage("");
  return await answer;
}

function nextOf(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
}

async function dueCount(): Promise<number> {
  const [row] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM subscriptions WHERE next_run = 0`,
  );
  return row?.n ?? 0;
}

async function pendingCount(): Promise<number> {
  const [row] = await database.all<{ n: number }>(
    sql`SELECT count(*) AS n FROM notification_deliveries WHERE state = 'pending'`,
  );
  return row?.n ?? 0;
}

/**
 * Returns the processor time of the service and its workers in milliseconds (proc_pid_stat(5): user and system time in
 * hundredths of a second).
 */
async function cpuTime(): Promise<number> {
  const workers = (await printed(`/proc/${service.pid}/task/${service.pid}/children`)).trim().split(" ");
  const stats = await printed(...[service.pid, ...workers].filter(Boolean).map((pid) => `/proc/${pid}/stat`));
  return stats.trimEnd().split("\n").reduce((sum, stat) => {
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13).map(Number);
    return sum + (user + system) * 10;
  }, 0);
}

/**
 * Returns the texts of files, read by a program, because Deno reads files of other processes only with all permissions.
 */
async function printed(...paths: string[]): Promise<string> {
  return new TextDecoder().decode((await new Deno.Command("cat", { args: paths }).output()).stdout);
}

/** Returns whether the service has used hardly any processor time in a second. */
async function isIdle(): Promise<boolean> {
  const before = await cpuTime();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return await cpuTime() - before < IDLE_CPU_MS;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!await isDone()) {
    if (performance.now() > end) throw new Error("The service does not get on");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function text(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

function disposable(database: Database): Database & AsyncDisposable {
  return Object.assign(database, { [Symbol.asyncDispose]: () => Promise.resolve(database.close()) });
}
