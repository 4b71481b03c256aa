/** Downloads exports from a service in a separate process, and measures the memory of that process. */

import { HEAP } from "../../tools/compile.ts";
import { TextLineStream } from "../support/text_lines.ts";
import { BENCH_KEY } from "./bench_database.ts";
import type { Memory } from "./watched_service.ts";

/** The result of a download, and the growth of each kind of memory. */
export interface Download {
  readonly bytes: number;
  readonly lines: number;
  readonly seconds: number;
  readonly before: Memory;
  readonly growth: Memory;
}

/** A service on one database file. */
export interface WatchedService extends AsyncDisposable {
  /** Downloads `certificates/export/` with this query and discards the content. */
  download(query: string): Promise<Download>;
}

const ENTRY = new URL("./watched_service.ts", import.meta.url).pathname;
const EXPORT = "/api/plugins/certmgr/certificates/export/";
/** Interval of memory readings in milliseconds. */
const SETTLE_MS = 1_000;
const NEWLINE = 10;

/** Starts the service on a free port. Throws if it ends. */
export async function watchedService(
  { path, maxExportSize }: { path: string; maxExportSize: number },
): Promise<WatchedService> {
  const child = new Deno.Command(Deno.execPath(), {
    // All permissions: without them Deno does not read what the kernel reports about a process.
    args: ["run", "-q", "--no-check", HEAP, "-A", ENTRY, path, String(maxExportSize)],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const readings: Memory[] = [];
  const listening = Promise.withResolvers<string>();
  const reading = (async () => {
    for await (
      const line of child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
    ) {
      if (line.startsWith("{")) readings.push(JSON.parse(line));
      else if (line.startsWith("Listening on ")) listening.resolve(line.slice("Listening on ".length));
    }
    listening.reject(new Error("Service exited before it listened"));
  })();
  const url = await listening.promise;
  return {
    download: (query) => download(new URL(`${EXPORT}?${query}`, url), readings),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await Promise.all([reading, child.status]);
    },
  };
}

async function download(url: URL, readings: Memory[]): Promise<Download> {
  await settle();
  const before = readings.at(-1) as Memory;
  readings.length = 0;
  const started = performance.now();
  const response = await fetch(url, { headers: { authorization: `Token ${BENCH_KEY}` } });
  if (!response.ok) throw new Error(`GET ${url} → ${response.status} ${await response.text()}`);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
  }
  const seconds = (performance.now() - started) / 1000;
  await settle();
  return { bytes, lines, seconds, before, growth: growthOf(before, readings) };
}

function growthOf(before: Memory, readings: readonly Memory[]): Memory {
  const most = (name: keyof Memory): number => Math.max(...readings.map((each) => each[name])) - before[name];
  return { resident: most("resident"), own: most("own"), heap: most("heap"), external: most("external") };
}

function settle(): Promise<void> {
  return new Promise((done) => setTimeout(done, SETTLE_MS));
}
