/** A queue in a Deno KV file of this machine: its hints outlive the process. */

import type { Logger } from "../base/log.ts";
import type { Hint, Queue } from "./queue.ts";

/**
 * Opens the queue in the KV file at `path`, and makes the file when it is missing. A file that cannot be read is put
 * aside for a new one: the database knows all that its hints were about.
 */
export async function openKvQueue({ path, log }: { path: string; log: Logger }): Promise<Queue> {
  const kv = await openOrReplace(path, log);
  let closed = false;
  let listening: Promise<void> = Promise.resolve();
  return {
    async send(hint): Promise<void> {
      if (!closed) await kv.enqueue(hint);
    },
    listen(listener): void {
      // A handler that takes long is given the same message again: it only says that there is something to do.
      listening = kv.listenQueue((message) => {
        try {
          if (isHint(message)) listener(message);
        } catch {
          // Given again it would be thrown again; the sweep finds what it was about.
        }
      }).catch((error) => {
        if (!closed) log.log("error", "queue lost", { error: String(error) });
      });
    },
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      kv.close();
      await listening;
    },
  };
}

async function openOrReplace(path: string, log: Logger): Promise<Deno.Kv> {
  try {
    return await openSound(path);
  } catch (error) {
    log.log("warn", "queue replaced", { path, error: String(error) });
    for (const name of [path, `${path}-wal`, `${path}-shm`]) await Deno.remove(name).catch(() => undefined);
    return await openSound(path);
  }
}

/** Opens a KV file, its owner's alone, and reads from it: opening alone does not look at what is inside. */
async function openSound(path: string): Promise<Deno.Kv> {
  try {
    (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const kv = await Deno.openKv(path);
  try {
    await kv.get(["sound"]);
    return kv;
  } catch (error) {
    kv.close();
    throw error;
  }
}

function isHint(message: unknown): message is Hint {
  return typeof message === "object" && message !== null && "id" in message && typeof message.id === "number";
}
