/** Runs the workers of a service. */

import { systemClock } from "../../base/clock.ts";
import { createLogger } from "../../base/log.ts";
import type { Config } from "../../config/mod.ts";
import { untilSignal } from "../../signals.ts";
import { supervise } from "./supervisor.ts";

const encoder = new TextEncoder();

/** Number of workers with `auto`: writes take turns, so that more of them gain little. */
const MAX_AUTO_WORKERS = 4;

/**
 * Runs the workers until a signal stops them, and returns the exit code.
 * @param program the program that each worker runs, and its arguments up to those of `certmgr serve`.
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
    spawn: (worker) =>
      new Deno.Command(name, {
        args: [...args, `--worker=${worker}/${workers}`],
        stdin: "piped",
        stdout: "piped",
        ...(cwd === undefined ? {} : { cwd }),
      }).spawn(),
    print: (...lines) => print(Deno.stdout, lines),
    log: createLogger({
      level: logLevel,
      now: systemClock.now,
      write: (line) => print(Deno.stderr, [line]),
    }),
    signalled: untilSignal(),
  });
}

/** Writes lines, if anyone reads them. */
function print(stream: { writeSync(bytes: Uint8Array): number }, lines: readonly string[]): void {
  const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(""));
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch {
    // A closed pipe or a full disk must not end the service.
  }
}

/** Returns the number of workers that answer requests; 1: the service is one process. */
export function numberOfWorkers({ workers, replicaPath }: Config): number {
  if (workers !== "auto") return workers;
  if (Deno.build.os !== "linux" || replicaPath !== undefined) return 1;
  // The cores that this process may use, also in a container.
  return Math.min(navigator.hardwareConcurrency, MAX_AUTO_WORKERS);
}

/** Why this system cannot run the configured number of workers; undefined if it can. */
export function workersFault({ workers, replicaPath }: Config): string | undefined {
  if (workers === 1 || workers === "auto") return undefined;
  const found = `Setting CERTMGR_WORKERS is "${workers}". Expected 1`;
  // Elsewhere the system does not distribute connections among the processes that listen on a port.
  if (Deno.build.os !== "linux") return `${found}: several workers need Linux.`;
  // Two processes would update the same copy.
  if (replicaPath !== undefined) return `${found} with CERTMGR_REPLICA_OF.`;
  return undefined;
}
