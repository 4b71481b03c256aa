/** Starts a service with several workers like `deno task start`, and clients whose connections stay with one worker. */

import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { BACKGROUND_WORKER } from "../../src/base/peers.ts";
import { TextLineStream } from "../support/text_lines.ts";
import type { Environment } from "./process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
/** The first administrator's token. */
export const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
/** Time limit of waits that only a busy machine makes long, in milliseconds. */
const PATIENCE_MS = 180_000;

/** A line of the log. */
export type LogLine =
  & { readonly event: string; readonly worker?: number }
  & Readonly<Record<string, unknown>>;

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly json: any;
  readonly requestId: string;
}

/** A client with one connection, which stays with one worker. */
export interface Client extends Disposable {
  send(method: string, path: string, options?: { body?: unknown; key?: string | null }): Promise<Answer>;
}

/** A running service. */
export interface Workers extends AsyncDisposable {
  readonly url: string;
  readonly log: readonly LogLine[];
  /** Sends a signal to the supervisor. */
  signal(signal: Deno.Signal): void;
  ended(): Promise<number>;
  /** Waits for the first line, from index `from` on, for which `test` returns true. */
  logged(test: (line: LogLine) => boolean, from?: number): Promise<LogLine>;
  /** Returns a client of each worker that answers requests, in the order of their numbers. */
  clients(): Promise<Client[]>;
}

/** Starts a service, of the checkout or in the folder `bundle`, and waits until all its workers serve. */
export async function startWorkers(
  workers: number,
  env: Environment,
  { bundle }: { bundle?: string } = {},
): Promise<Workers> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-q",
      "--no-check",
      "--no-prompt",
      "-P=start",
      bundle === undefined ? "tools/start.ts" : "start.js",
    ],
    cwd: bundle ?? PROJECT,
    env: {
      NO_COLOR: "1",
      CERTMGR_PORT: "0",
      CERTMGR_ADMIN_TOKEN: KEY,
      ...env,
      CERTMGR_WORKERS: String(workers),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const log: LogLine[] = [];
  const changed = new Set<() => void>();
  const reading = readLines(child.stderr, (line) => {
    log.push(parseLine(line));
    for (const each of changed) each();
  });
  const listening = Promise.withResolvers<string>();
  const output = readLines(child.stdout, (line) => {
    const url = /^Listening on (\S+)\/$/.exec(line)?.[1];
    if (url !== undefined) listening.resolve(url);
  });
  const ended = async (): Promise<number> => {
    await Promise.all([reading, output]);
    return (await child.status).code;
  };
  const logged = async (test: (line: LogLine) => boolean, from = 0): Promise<LogLine> => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = log.slice(from).find(test);
      if (found !== undefined) return found;
      assert.ok(performance.now() < until, `Not logged: ${test}\n${JSON.stringify(log.slice(-20), null, 1)}`);
      await waitFor(changed, 200);
    }
  };
  const failed = ended().then((code) => assert.fail(`Ended with ${code}: ${JSON.stringify(log)}`));
  failed.catch(() => undefined);
  const end = async (): Promise<void> => {
    try {
      // The workers end with their supervisor.
      child.kill("SIGKILL");
    } catch {
      // The service has ended.
    }
    await ended();
  };
  const started = async (): Promise<string> => {
    const address = await listening.promise;
    for (let worker = BACKGROUND_WORKER; worker <= workers; worker++) {
      await logged((line) => line.event === "worker started" && line.worker === worker);
    }
    return address;
  };
  const url = await Promise.race([started(), failed]).catch(async (error) => {
    await end();
    throw error;
  });
  const open = new Set<Client>();
  return {
    url,
    log,
    signal: (signal) => child.kill(signal),
    ended,
    logged,
    async clients(): Promise<Client[]> {
      const found = new Map<number, Client>();
      while (found.size < workers) {
        const client = connect(url);
        const { requestId } = await client.send("GET", "/healthz", { key: null });
        const { worker } = await logged((line) => line.request_id === requestId);
        if (found.has(worker as number)) client[Symbol.dispose]();
        else {
          found.set(worker as number, client);
          open.add(client);
        }
      }
      return [...found].sort(([a], [b]) => a - b).map(([, client]) => client);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const client of open) client[Symbol.dispose]();
      await end();
    },
  };
}

/** Opens a client with a separate connection. */
export function connect(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (method, path, { body, key = KEY } = {}) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...(key === null ? {} : { authorization: `Token ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        };
        const sent = request(url + path, { method, agent, headers }, (answer) => {
          const chunks: Uint8Array[] = [];
          answer.on("data", (chunk) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () => {
            const text = new TextDecoder().decode(joined(chunks));
            const isJson = String(answer.headers["content-type"]).includes("json") && text !== "";
            resolve({
              status: answer.statusCode as number,
              text,
              json: isJson ? JSON.parse(text) : undefined,
              requestId: String(answer.headers["x-request-id"]),
            });
          });
        });
        sent.on("error", reject);
        sent.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const lines = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  for await (const line of lines.pipeThrough(new TextLineStream())) take(line);
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line);
  } catch {
    return { event: line };
  }
}

/** Waits until one of the functions is called, at most `ms`. */
async function waitFor(changed: Set<() => void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  changed.add(resolve);
  const timer = setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
  changed.delete(resolve);
}
