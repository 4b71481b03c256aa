/** The queue that the service keeps in its data folder. */

import { join } from "node:path";
import type { Logger } from "../base/log.ts";
import type { Config } from "../config.ts";
import { openKvQueue } from "../delivery/kv_queue.ts";
import { memoryQueue, type Queue } from "../delivery/mod.ts";
import { makeFolder } from "./database_place.ts";

/** Name of its file in the data folder. */
const FILE = "queue.kv";

/** Opens the queue; where the data folder has no room for it, one in memory does as well until the process ends. */
export async function openQueue({ dataDir }: Config, log: Logger): Promise<Queue> {
  const path = join(dataDir, FILE);
  try {
    await makeFolder(path);
    return await openKvQueue({ path, log });
  } catch (error) {
    log.log("warn", "queue in memory", { path, error: String(error) });
    return memoryQueue();
  }
}
