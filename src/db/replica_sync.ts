/** The main thread's interface to the worker that synchronizes a replica. */

import type { ReplicaReport, ReplicaTask } from "./replica_worker.ts";

/** The worker's file, which is JavaScript in a bundle (tools/bundle.ts), as this one is. */
const WORKER = new URL(`./replica_worker.${import.meta.url.endsWith(".js") ? "js" : "ts"}`, import.meta.url);

/** The server and the path of its copy. */
export interface ReplicaLocation {
  readonly path: string;
  readonly url: string;
  readonly authToken: string;
}

/** Synchronizes a replica's file. */
export class ReplicaSync {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<void>[] = [];
  #closing: Promise<void> | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<ReplicaReport>): void => {
      const asked = this.#asked.shift();
      if (data.error === undefined) asked?.resolve();
      else asked?.reject(new Error(data.error));
    };
    worker.onerror = (event): void => {
      event.preventDefault();
      for (const asked of this.#asked.splice(0)) asked.reject(new Error(event.message));
    };
  }

  /** Opens or creates the file, and synchronizes it once. Throws if the server is unavailable. */
  static async open(place: ReplicaLocation): Promise<ReplicaSync> {
    const worker = new Worker(WORKER, { type: "module" });
    const sync = new ReplicaSync(worker);
    try {
      await sync.#ask({ task: "open", ...place });
      return sync;
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  /** Synchronizes the file with at least the state of the server at the time of the call. */
  sync(): Promise<void> {
    return this.#ask({ task: "sync" });
  }

  /** Ends the worker after its pending tasks. Idempotent. */
  close(): void {
    if (this.#closing !== undefined) return;
    for (const asked of this.#asked) asked.promise.catch(() => undefined);
    this.#closing = this.#ask({ task: "close" }).catch(() => undefined).then(() => this.#worker.terminate());
  }

  /** Resolves when a closed worker has released its file. */
  get ended(): Promise<void> {
    return this.#closing ?? Promise.resolve();
  }

  #ask(asked: ReplicaTask): Promise<void> {
    const answer = Promise.withResolvers<void>();
    this.#asked.push(answer);
    this.#worker.postMessage(asked);
    return answer.promise;
  }
}
