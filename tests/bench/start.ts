/**
 * `deno task bench:start`: measures the time from the start of the service to its first response, and its memory when
 * it is idle. Each start is a separate process with the flags of `deno task start`, on an existing database. With
 * `--bundle`, starts from the checkout and from that bundle take turns. Prints medians and worst values; exits with 1 if
 * a median of the checkout exceeds its budget.
 */

import { fileURLToPath } from "node:url";

import { systemClock } from "../../src/base/clock.ts";
import { migrate, MIGRATIONS } from "../../src/db/mod.ts";
import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import { firstAdmin } from "../../src/domain/accounts/tokens/first_admin.ts";
import * as checkoutStart from "../../tools/start.ts";
import { testContext } from "../support/context.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { benchOptions } from "./bench_options.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
/**
 * Budgets of a checkout on the project's machine: milliseconds to the first response, MiB of resident memory when idle.
 */
const BUDGETS = { self: { startMs: 500, memory: 120 }, edge: { startMs: 300, memory: 120 } } as const;
/**
 * Idle time before the memory is measured, in milliseconds: the engine releases the memory of the start after half a
 * minute.
 */
const REST_MS = 60_000;
const ASK_EVERY_MS = 2;

/** One process, one at the edge, or two workers with their supervisor and the process for background work. */
type Entry = "self" | "edge" | "workers";

/** What is started: the checkout or a bundle. */
interface Program {
  readonly name: "checkout" | "bundle";
  readonly folder: string;
  readonly files: Readonly<Record<Entry, string>>;
  /** Flags of the service that stores its data in a folder. */
  readonly flags: (folder: string) => readonly string[];
}

interface Measured {
  readonly startMs: number;
  /** Processor time of all processes, in milliseconds; until the first response, if there is one process. */
  readonly cpuMs: number;
  /** Resident and proportional memory of all processes, in MiB; NaN before they are idle. */
  readonly residentMiB: number;
  readonly proportionalMiB: number;
}

const CHECKOUT: Program = {
  name: "checkout",
  folder: PROJECT,
  files: { self: checkoutStart.SERVICE, edge: "src/edge.ts", workers: "tools/start.ts" },
  flags: (folder) => checkoutStart.serviceFlags([folder]),
};

async function bundleIn(path: string): Promise<Program> {
  const folder = await Deno.realPath(path);
  const start = await import(`file://${folder}/start.js`) as typeof checkoutStart;
  return {
    name: "bundle",
    folder,
    files: { self: start.SERVICE, edge: "edge.js", workers: "start.js" },
    flags: (data) => start.serviceFlags([data]),
  };
}

/** Returns the command; `place` is the data folder, or the URL of the database server. */
function commandOf(
  entry: Entry,
  { program, place, port }: { program: Program; place: string; port: number },
): Deno.Command {
  const common = { cwd: program.folder, stdout: "null", stderr: "null" } as const;
  const file = program.files[entry];
  if (entry === "edge") {
    return new Deno.Command(Deno.execPath(), {
      ...common,
      args: ["serve", "-q", "--no-check", "-A", "--host=127.0.0.1", `--port=${port}`, file],
      env: { CERTMGR_DATABASE_URL: place },
    });
  }
  const flags = entry === "workers" ? ["-P=start"] : program.flags(place);
  return new Deno.Command(Deno.execPath(), {
    ...common,
    args: ["run", "-q", "--no-check", "--no-prompt", ...flags, file],
    env: {
      CERTMGR_PORT: String(port),
      CERTMGR_ADMIN_TOKEN: TOKEN,
      CERTMGR_DATA_DIR: place,
      CERTMGR_WORKERS: entry === "workers" ? "2" : "1",
    },
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** Returns the output of a program: the runtime opens files of `/proc` only with all permissions. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args }).output();
  return new TextDecoder().decode(stdout);
}

/** Returns the ids of a process and of those that it has started. */
async function withChildren(pid: number): Promise<number[]> {
  const children = (await outputOf("ps", "-o", "pid=", "--ppid", String(pid))).trim();
  return [pid, ...children === "" ? [] : children.split(/\s+/).map(Number)];
}

/** Returns the resident and the proportional memory of a process in MiB, as Linux reports them. */
async function memoryOf(pid: number): Promise<{ resident: number; proportional: number }> {
  const text = await outputOf("cat", `/proc/${pid}/smaps_rollup`);
  const read = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
  return { resident: read("Rss"), proportional: read("Pss") };
}

/** Returns the processor time of a process in milliseconds (`utime` and `stime` of proc(5), in ticks of 10 ms). */
async function cpuMsOf(pid: number): Promise<number> {
  if (Deno.build.os !== "linux") return NaN;
  const text = await outputOf("cat", `/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain spaces; the times are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Measures a start, from the creation of the process to the last byte of a response that needed the database. */
async function measure(
  entry: Entry,
  { rest, ...asked }: { program: Program; place: string; rest: boolean },
): Promise<Measured> {
  const port = freePort();
  const before = performance.now();
  const child = commandOf(entry, { ...asked, port }).spawn();
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
    // The first worker responds before the other processes have started.
    const isAlone = entry !== "workers";
    const alone = isAlone ? await cpuMsOf(child.pid) : NaN;
    if (!rest) return { startMs, cpuMs: alone, residentMiB: NaN, proportionalMiB: NaN };
    await new Promise((done) => setTimeout(done, REST_MS));
    const pids = await withChildren(child.pid);
    const memory = await Promise.all(pids.map(memoryOf));
    return {
      startMs,
      cpuMs: isAlone ? alone : sum(await Promise.all(pids.map(cpuMsOf))),
      residentMiB: sum(memory.map(({ resident }) => resident)),
      proportionalMiB: sum(memory.map(({ proportional }) => proportional)),
    };
  } finally {
    // The supervisor stops its workers.
    child.kill(entry === "workers" ? "SIGTERM" : "SIGKILL");
    await child.status;
  }
}

/** Returns the median of the values that exist. */
function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Measures an entry of each program in turn, and prints the medians. Returns whether the checkout keeps its budget. */
async function report(
  entry: Entry,
  { programs, place, runs, rests }: {
    programs: readonly Program[];
    place: string;
    runs: number;
    rests: number;
  },
): Promise<boolean> {
  const all = programs.map((): Measured[] => []);
  // The first start creates the database, and fills the caches of the runtime.
  for (const program of programs) await measure(entry, { program, place, rest: false });
  for (let run = 0; run < runs; run++) {
    for (const [at, program] of programs.entries()) {
      all[at]?.push(await measure(entry, { program, place, rest: run >= runs - rests }));
    }
  }
  const medians = all.map((measured) => ({
    startMs: median(measured.map(({ startMs }) => startMs)),
    worstMs: Math.max(...measured.map(({ startMs }) => startMs)),
    cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
    residentMiB: median(measured.map(({ residentMiB }) => residentMiB)),
    proportionalMiB: median(measured.map(({ proportionalMiB }) => proportionalMiB)),
  }));
  for (const [at, { startMs, worstMs, cpuMs, residentMiB, proportionalMiB }] of medians.entries()) {
    console.log(
      `${entry.padEnd(8)}${programs[at]?.name.padEnd(9)} first response ${
        startMs.toFixed(0)
      } ms (worst of ${runs}: ` +
        `${worstMs.toFixed(0)} ms), processor time ${cpuMs.toFixed(0)} ms, ` +
        `memory when idle ${residentMiB.toFixed(0)} MiB, proportional ${proportionalMiB.toFixed(0)} MiB`,
    );
  }
  const [checkout, bundle] = medians;
  if (checkout === undefined) return false;
  if (bundle !== undefined) {
    const ratios = (["startMs", "cpuMs", "residentMiB", "proportionalMiB"] as const)
      .map((name) => `${name} ${(bundle[name] / checkout[name]).toFixed(2)}`);
    console.log(`${entry.padEnd(8)}bundle compared with checkout: ${ratios.join(", ")}`);
  }
  if (entry === "workers") return true;
  const budget = BUDGETS[entry];
  const isKept = checkout.startMs <= budget.startMs && !(checkout.residentMiB > budget.memory);
  if (!isKept) console.log(`${entry.padEnd(8)}over budget: ${budget.startMs} ms, ${budget.memory} MiB`);
  return isKept;
}

/** Prepares a libSQL server with this release's schema and the first administrator. */
async function prepareServer(url: string): Promise<void> {
  const database = openRemoteDatabase({ url });
  await migrate(database, { migrations: MIGRATIONS, now: systemClock.now() });
  await firstAdmin({ ctx: testContext({ database, clock: systemClock }), password: undefined, token: TOKEN });
  database.close();
}

const values = benchOptions("bench:start", {
  runs: ["7", "Number of starts of each program"],
  rests: ["1", "Number of these after which memory is measured, a minute later"],
  bundle: [undefined, "Folder of a bundle to compare with the checkout"],
});
const programs = [CHECKOUT, ...values.bundle === undefined ? [] : [await bundleIn(values.bundle)]];
const asked = { programs, runs: Number(values.runs), rests: Number(values.rests) };
const folder = await Deno.makeTempDir({ prefix: "certmgr-start-" });
const kept: boolean[] = [];
try {
  kept.push(await report("self", { ...asked, place: folder }));
  kept.push(await report("workers", { ...asked, place: folder }));
  await using server = await startLibsqlServer();
  await prepareServer(server.url);
  kept.push(await report("edge", { ...asked, place: server.url }));
} finally {
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(kept.every(Boolean) ? 0 : 1);
