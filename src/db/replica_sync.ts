/** The thread that keeps a replica's file up to date, as seen from here. */

import type { ReplicaReport, ReplicaTask } from "./replica_worker.ts";

/** How to reach the server, and where its copy is kept. */
export interface ReplicaLocation {
  readonly path: string;
  readonly url: string;
  readonly authToken: string;
}

/** Brings the file up to date. */
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

  /** Makes the file, or opens it, and brings it up to date once. Throws when the server cannot be reached. */
  static async open(place: ReplicaLocation): Promise<ReplicaSync> {
    const worker = new Worker(new URL("./replica_worker.ts", import.meta.url), { type: "module" });
    const sync = new ReplicaSync(worker);
    try {
      await sync.#ask({ task: "open", ...place });
      return sync;
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  /** Afterwards the file holds what the server had when this was called, or more. */
  sync(): Promise<void> {
    return this.#ask({ task: "sync" });
  }

  /** The thread ends when it has done what it was asked before. Twice is once. */
  close(): void {
    if (this.#closing !== undefined) return;
    for (const asked of this.#asked) asked.promise.catch(() => undefined);
    this.#closing = this.#ask({ task: "close" }).catch(() => undefined).then(() => this.#worker.terminate());
  }

  /** Settles when a closed thread has let go of its file. */
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
