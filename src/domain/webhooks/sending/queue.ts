/**
 * The queue transports hints that there is something to send. The messages themselves are only in the
 * database.
 */

/** A hint. A lost hint delays messages but loses none. A repeated one costs one query. */
export interface Hint {
  /** The row of the outbox for which it was sent; 0 for none. */
  readonly id: number;
}

/** Receives hints. The queue ignores errors that it throws. */
export type HintListener = (hint: Hint) => void;

/** Passes each hint at least once to one of its listeners, in no particular order. */
export interface Queue {
  send(hint: Hint): Promise<void>;
  /**
   * Registers the listener, for new hints and for those that were not passed on yet. Must be called only once
   * per queue.
   */
  listen(listener: HintListener): void;
  /** Closes the queue. Later hints are dropped. Idempotent. */
  close(): Promise<void>;
}
