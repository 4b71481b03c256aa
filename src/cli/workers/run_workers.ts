/** Runs the workers of a service. */

import { setPriority } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { createLogger } from "../../base/log.ts";
import { BACKGROUND_WORKER } from "../../base/peers.ts";
import type { Config } from "../../config/mod.ts";
import { untilSignal } from "../../signals.ts";
import { supervise } from "./supervisor.ts";

const encoder = new TextEncoder();

/**
 * A low priority, as in setpriority(2), because background work is less urgent than requests. Not the lowest: next to
 * eight busy processes on two cores, that one leaves 0.4 % of a core, with which the worker needs minutes to start.
 */
const BACKGROUND_PRIORITY = 10;
/** Maximum number of workers with `auto`. Writes take turns, so more workers gain little. */
const MAX_AUTO_WORKERS = 4;

/**
 * Runs the workers until a signal stops them. Returns the exit code.
 * @param program The program that each worker runs, and its arguments before those of `certmgr serve`.
 */
export function runWorkers(
  config: Config,
  { program: [name, ...args], cwd }: { program: readonly [string, ...string[]]; cwd?: string },
): Promise<number> {
  const { port, logLevel, workerTimeoutMs } = config;
  const workers = numberOfWorkers(config);
  return supervise({
    workers,
    port,
    hangMs: workerTimeoutMs,
    spawn: (worker) => {
      const child = new Deno.Command(name, {
        args: [...args, `--worker=${worker}/${workers}`],
        stdin: "piped",
        stdout: "piped",
        ...(cwd === undefined ? {} : { cwd }),
      }).spawn();
      if (worker === BACKGROUND_WORKER) giveWay(child.pid);
      return child;
    },
    print: (...lines) => print(Deno.stdout, lines),
    log: createLogger({
      level: logLevel,
      now: systemClock.now,
      write: (line) => print(Deno.stderr, [line]),
    }),
    signalled: untilSignal(),
  });
}

/**
 * Lowers the priority of a process, so that others run first. A new process has one thread, and those that it
 * starts later inherit its priority. Without this, background work makes the slowest of the other requests
 * three times as slow, even on a free core.
 */
function giveWay(pid: number): void {
  try {
    setPriority(pid, BACKGROUND_PRIORITY);
  } catch {
    // The process has ended, or this system does not allow it.
  }
}

/** Writes lines, unless nobody reads them. */
function print(stream: { writeSync(bytes: Uint8Array): number }, lines: readonly string[]): void {
  const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(""));
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch {
    // A closed pipe or a full disk must not stop the service.
  }
}

/** Returns the number of workers that answer requests. With 1, the service is a single process. */
export function numberOfWorkers({ workers }: Config): number {
  if (workers !== "auto") return workers;
  if (Deno.build.os !== "linux") return 1;
  // The number of cores that this process may use, also in a container.
  return Math.min(navigator.hardwareConcurrency, MAX_AUTO_WORKERS);
}

/** Returns why this system cannot run the configured number of workers; undefined if it can. */
export function workersFault({ workers }: Config): string | undefined {
  if (workers === 1 || workers === "auto" || Deno.build.os === "linux") return undefined;
  // Other systems do not distribute connections among processes that listen on the same port.
  return `Setting CERTMGR_WORKERS is "${workers}". Expected 1: several workers need Linux.`;
}
