/**
 * `… watched_service.ts <database> <largest export>`: runs the service on a database of the benchmarks, like `serve`
 * but without jobs. It prints its memory ten times a second, as a line of JSON.
 */

import { openFileDatabase } from "../../src/db/file_client.ts";
import { startServer } from "../../src/server.ts";
import { benchApp, errorLog } from "./bench_app.ts";

/** Memory in bytes: all resident memory, the same without pages of mapped files, V8's heap, and buffers outside it. */
export interface Memory {
  readonly resident: number;
  readonly own: number;
  readonly heap: number;
  readonly external: number;
}

const EVERY_MS = 100;

/** Reads the kernel's numbers. Mapped files (the database) belong to the page cache, which the kernel can reclaim. */
function readMemory(): Memory {
  const { rss, heapUsed, external } = Deno.memoryUsage();
  let own = rss;
  try {
    const line = /^RssAnon:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"));
    if (line !== null) own = Number(line[1]) * 1024;
  } catch {
    // Only Linux reports this.
  }
  return { resident: rss, own, heap: heapUsed, external };
}

if (import.meta.main) {
  const [path = "", maxExportSize] = Deno.args;
  const database = await openFileDatabase({ path });
  const app = benchApp(database, { maxExportSize: Number(maxExportSize) });
  const server = startServer({ handler: app.fetch, host: "127.0.0.1", port: 0, log: errorLog });
  console.log(`Listening on ${server.url}`);
  setInterval(() => console.log(JSON.stringify(readMemory())), EVERY_MS);
}
