/** Databases on libSQL servers that another process keeps (see `server_keeper.ts`). */

import { openRemoteDatabase } from "../../src/db/remote_client.ts";
import type { TestDatabase } from "./database.ts";
import { TextLineStream } from "./text_lines.ts";

/** Returns a database on a separate server that starts with these bytes. */
export type ServerPlace = (bytes: Uint8Array) => Promise<TestDatabase>;

/** Starts the keeper, which ends with this process. Call it before the first test. */
export async function startServerPlace(): Promise<ServerPlace> {
  const keeper = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-check", "-A", new URL("./server_keeper.ts", import.meta.url).pathname],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
    // It is not killed with this process, because it has to end its servers first. It does so when its standard input
    // ends.
    detached: true,
  }).spawn();
  const lines = keeper.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  const { value: port } = await lines.getReader().read();
  const ask = async (path: string, body?: Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });
    return await response.json();
  };
  const templates = new WeakMap<Uint8Array, Promise<unknown>>();
  return async (bytes) => {
    const template = templates.get(bytes) ?? ask("template", new Uint8Array(bytes));
    templates.set(bytes, template);
    const { url, path } = await ask(`lend?template=${await template}`) as { url: string; path: string };
    const database = openRemoteDatabase({ url });
    return Object.assign(database, {
      path,
      async [Symbol.asyncDispose](): Promise<void> {
        database.close();
        await ask(`return?url=${encodeURIComponent(url)}`);
      },
      removeSync: () => database.close(), // the keeper and its servers end with this process
    });
  };
}
