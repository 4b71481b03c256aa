/**
 * Runs the edge entry point like a deployment: in a separate process with permissions only for the network and its
 * settings.
 */

import { fileURLToPath } from "node:url";
import { freePort, ownAddress } from "./loopback.ts";
import { TextLineStream } from "./text_lines.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Time limit for the first response of the process, in milliseconds. */
const START_MS = 180_000;

/** A running edge. */
export interface Edge extends AsyncDisposable {
  readonly url: string;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  signal(signal: Deno.Signal): void;
  /** Waits for the end of the process and returns its exit code. */
  ended(): Promise<number>;
}

/** Starts the edge, of the checkout or in the folder `bundle`, on a free port. Waits until it answers. */
export async function startEdge(
  env: Readonly<Record<string, string>>,
  { bundle }: { bundle?: string } = {},
): Promise<Edge> {
  const host = ownAddress();
  const port = String(freePort(host));
  const url = `http://${host}:${port}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["serve", "-q", "--no-check", "--no-prompt", "--allow-net", "--allow-env", "--host", host],
      ...["--port", port, bundle === undefined ? "src/edge.ts" : "edge.js"],
    ],
    cwd: bundle ?? PROJECT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let over = false;
  child.status.then(() => over = true);
  const lines: string[] = [];
  const read = [child.stdout, child.stderr].map((stream) => collect(stream, lines));
  await firstAnswer(`${url}/healthz`, performance.now() + START_MS);
  return {
    url,
    lines,
    signal: (signal) => child.kill(signal),
    ended: async () => (await child.status).code,
    async [Symbol.asyncDispose](): Promise<void> {
      if (!over) child.kill("SIGKILL");
      await Promise.all([child.status, ...read]);
    },
  };
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, lines: string[]): Promise<void> {
  const texts = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  for await (const line of texts) lines.push(line);
}

/** Repeats a request until there is any response. */
async function firstAnswer(url: string, deadline: number): Promise<void> {
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((done) => setTimeout(done, 2));
  }
}
