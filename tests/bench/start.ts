/**
 * `deno task bench:start`: measures the time from the start of the service to its first response, and its memory when
 * it is idle. Each start is a separate process with the flags of `deno task start`, on an existing database. Prints the
 * median and the worst value; exits with 1 if a median exceeds its budget.
 */

import { fileURLToPath } from "node:url";

import { systemClock } from "../../src/base/clock.ts";
import { migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { firstAdmin } from "../../src/domain/accounts/tokens/mod.ts";
import { SERVICE, serviceFlags } from "../../tools/start.ts";
import { testContext } from "../support/context.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { benchOptions } from "./bench_options.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
/** Budgets on the project's machine: milliseconds to the first response, MiB of resident memory when idle. */
const BUDGETS = { self: 500, edge: 300, memory: 120 } as const;
/**
 * Idle time before the memory is measured, in milliseconds: the engine releases the memory of the start after half a
 * minute.
 */
const REST_MS = 60_000;
const ASK_EVERY_MS = 2;

interface Measured {
  readonly startMs: number;
  /** Processor time until the first response, in milliseconds; NaN if the system does not report it. */
  readonly cpuMs: number;
  readonly memoryMiB: number;
}

/** Returns the command; `place` is the data folder, or the URL of the database server. */
function commandOf(entry: "self" | "edge", { place, port }: { place: string; port: number }): Deno.Command {
  const common = { cwd: PROJECT, stdout: "null", stderr: "null" } as const;
  const settings = { CERTMGR_PORT: String(port), CERTMGR_ADMIN_TOKEN: TOKEN };
  if (entry === "self") {
    return new Deno.Command(Deno.execPath(), {
      ...common,
      args: ["run", "-q", "--no-check", "--no-prompt", ...serviceFlags([place]), SERVICE],
      env: { ...settings, CERTMGR_DATA_DIR: place },
    });
  }
  return new Deno.Command(Deno.execPath(), {
    ...common,
    args: ["serve", "-q", "--no-check", "-A", "--host=127.0.0.1", `--port=${port}`, "src/edge.ts"],
    env: { CERTMGR_DATABASE_URL: place },
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** Returns the resident memory of a process in MiB, as the system reports it. */
async function residentMiB(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] }).output();
  return Number(new TextDecoder().decode(stdout)) / 1024;
}

/** Returns the processor time of a process in milliseconds (`utime` and `stime` of proc(5), in ticks of 10 ms). */
async function cpuMsOf(pid: number): Promise<number> {
  if (Deno.build.os !== "linux") return NaN;
  // By a program, because the runtime opens files of `/proc` only with all permissions.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
  const text = new TextDecoder().decode(stdout);
  // The name of the program, in parentheses, may contain spaces; the times are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Measures a start, from the creation of the process to the last byte of a response that needed the database. */
async function measure(
  entry: "self" | "edge",
  { place, rest }: { place: string; rest: boolean },
): Promise<Measured> {
  const port = freePort();
  const before = performance.now();
  const child = commandOf(entry, { place, port }).spawn();
  try {
    const url = `http://127.0.0.1:${port}/api/status/`;
    for (;;) {
      try {
        const response = await fetch(url, { headers: { authorization: `Token ${TOKEN}` } });
        await response.text();
        if (response.ok) break;
        throw new Error(`The first answer is ${response.status}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        await new Promise((done) => setTimeout(done, ASK_EVERY_MS));
      }
    }
    const startMs = performance.now() - before;
    const cpuMs = await cpuMsOf(child.pid);
    if (rest) await new Promise((done) => setTimeout(done, REST_MS));
    return { startMs, cpuMs, memoryMiB: rest ? await residentMiB(child.pid) : NaN };
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

async function report(
  entry: "self" | "edge",
  { place, runs }: { place: string; runs: number },
): Promise<boolean> {
  await measure(entry, { place, rest: false }); // creates the database, and fills the caches of the runtime
  const all: Measured[] = [];
  for (let run = 0; run < runs; run++) all.push(await measure(entry, { place, rest: run === runs - 1 }));
  const times = all.map(({ startMs }) => startMs);
  const memory = all.at(-1)?.memoryMiB as number;
  const cpuMs = median(all.map((run) => run.cpuMs));
  const [typical, worst] = [median(times), Math.max(...times)];
  console.log(
    `${entry.padEnd(5)} first response ${typical.toFixed(0)} ms (worst of ${runs}: ${worst.toFixed(0)} ms, ` +
      `budget ${BUDGETS[entry]} ms), processor time ${cpuMs.toFixed(0)} ms, ` +
      `memory when idle ${memory.toFixed(0)} MiB (budget ${BUDGETS.memory} MiB)`,
  );
  return typical <= BUDGETS[entry] && memory <= BUDGETS.memory;
}

/** Prepares a libSQL server with this release's schema and the first administrator. */
async function prepareServer(url: string): Promise<void> {
  const database = openRemoteDatabase({ url });
  await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
  await firstAdmin({ ctx: testContext({ database, clock: systemClock }), password: undefined, token: TOKEN });
  database.close();
}

const values = benchOptions("bench:start", {
  runs: ["7", "Number of starts"],
});
const runs = Number(values.runs);
const folder = await Deno.makeTempDir({ prefix: "certmgr-start-" });
const kept: boolean[] = [];
try {
  kept.push(await report("self", { place: folder, runs }));
  await using server = await startLibsqlServer();
  await prepareServer(server.url);
  kept.push(await report("edge", { place: server.url, runs }));
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(kept.every(Boolean) ? 0 : 1);
