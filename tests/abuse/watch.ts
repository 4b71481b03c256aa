/**
 * Measures the effect of an input on others: the longest wait of another client, and the growth of the service's
 * memory.
 */

import { fileURLToPath } from "node:url";
import { TextLineStream } from "../support/text_lines.ts";
import type { ProbeLine } from "./probe_process.ts";

const PROBE = fileURLToPath(new URL("probe_process.ts", import.meta.url));
/** Time limit of the first request after a measurement, in milliseconds; beyond it the service counts as hanging. */
const PATIENCE_MS = 10_000;

/** The result of a measurement. */
export interface Measured {
  /** Longest wait of another client, in milliseconds. */
  readonly waitMs: number;
  /** Growth of the resident memory to its highest value, in bytes. */
  readonly growth: number;
  /** Highest resident memory, in bytes. */
  readonly peak: number;
  /** Responses to the other client, other than 200. */
  readonly refused: readonly number[];
  /** Whether the other client was still waiting when the measurement was abandoned. */
  readonly hangs: boolean;
}

/** Another client that runs until the end of its scope. */
export interface Watch extends AsyncDisposable {
  measure(work: () => Promise<unknown>): Promise<Measured>;
}

type Request = Extract<ProbeLine, { start: number }>;
type Look = Extract<ProbeLine, { at: number }>;

/** Starts another client, and measures the process `pid`. */
export async function startWatch(
  { url, token, pid, onMemory }: {
    url: string;
    token: string;
    pid: number;
    onMemory: (bytes: number) => void;
  },
): Promise<Watch> {
  const child = new Deno.Command(Deno.execPath(), {
    // Deno asks for all permissions before it opens /proc.
    args: [
      "run",
      "-q",
      "--no-prompt",
      "--no-check",
      "-A",
      PROBE,
      url,
      token,
      String(pid),
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const requests: Request[] = [];
  const looks: Look[] = [];
  const reading = (async (): Promise<void> => {
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TextLineStream(),
    );
    for await (const text of lines) {
      const line: ProbeLine = JSON.parse(text);
      if ("start" in line) {
        requests.push(line);
        continue;
      }
      looks.push(line);
      onMemory(line.resident);
    }
  })();
  await until(() => requests.length > 0 && looks.length > 0);
  return {
    async measure(work): Promise<Measured> {
      const before = looks.at(-1) as Look;
      const start = now();
      await work();
      const end = now();
      // The request that was waiting at the end belongs to the measurement, and so does one that began during it.
      await until(() => requests.some((request) => request.start > end));
      const during = requests.filter((request) => request.start + request.ms > start && request.start < end);
      const last = requests.at(-1);
      const answered = last !== undefined && last.start > end;
      const open = answered ? [] : [now() - (last === undefined ? start : last.start + last.ms)];
      const peak = Math.max(
        ...looks.filter(({ at }) => at >= start && at <= now()).map((
          { resident },
        ) => resident),
        before.resident,
      );
      const found = {
        waitMs: Math.max(0, ...open, ...during.map(({ ms }) => ms)),
        growth: peak - before.resident,
        peak,
        hangs: !answered,
        refused: during.filter(({ status }) => status !== 200).map((
          { status },
        ) => status),
      };
      requests.length = 0;
      looks.splice(0, looks.length - 1);
      return found;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await child.status;
      await reading;
    },
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

async function until(met: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!met() && performance.now() < deadline) {
    await new Promise((done) => setTimeout(done, 5));
  }
}
