/** Questions of a worker to all others, with the answers so far. */

import type { PeerAnswer } from "../../base/peers.ts";

interface PendingQuestion {
  readonly missing: Set<number>;
  readonly answers: PeerAnswer[];
  readonly finish: () => void;
}

/** Collects answers. A question ends when all workers have answered or died, or at its time limit. */
export class PendingQuestions {
  readonly #open = new Map<number, PendingQuestion>();
  #last = 0;

  /**
   * Opens a question to `workers`.
   * @param put Sends it to one of them, with its id.
   * @param finished Called once, with the answers.
   */
  open(
    { workers, limitMs, put, finished }: {
      workers: readonly number[];
      limitMs: number;
      put: (worker: number, id: number) => void;
      finished: (answers: readonly PeerAnswer[]) => void;
    },
  ): void {
    const id = ++this.#last;
    const answers: PeerAnswer[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      if (this.#open.delete(id)) finished(answers);
    };
    const timer = setTimeout(finish, limitMs);
    this.#open.set(id, { missing: new Set(workers), answers, finish });
    for (const worker of workers) put(worker, id);
    if (workers.length === 0) finish();
  }

  /** Records an answer. */
  answer(worker: number, { id, value }: { id: number; value: unknown }): void {
    const open = this.#open.get(id);
    if (open === undefined || !open.missing.delete(worker)) return;
    open.answers.push({ worker, value });
    if (open.missing.size === 0) open.finish();
  }

  /** Stops waiting for a worker that has died. */
  remove(worker: number): void {
    for (const { missing, finish } of [...this.#open.values()]) {
      if (missing.delete(worker) && missing.size === 0) finish();
    }
  }

  /** Ends all questions. */
  close(): void {
    for (const { finish } of [...this.#open.values()]) finish();
  }
}
