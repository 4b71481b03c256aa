/** The queue carries hints that there is something to send. The messages themselves are in the database only. */

/** A hint. A lost one delays messages but loses none; a repeated one costs one query. */
export interface Hint {
  /** The outbox row that it was sent for; 0 for none. */
  readonly id: number;
}

/** Receives hints. The queue ignores errors that it throws. */
export type HintListener = (hint: Hint) => void;

/** Delivers each hint at least once, in no order, to one of its listeners. */
export interface Queue {
  send(hint: Hint): Promise<void>;
  /** Registers the listener, for new hints and for those not delivered yet. To be called once for each queue. */
  listen(listener: HintListener): void;
  /** Closes the queue; later hints are dropped. Idempotent. */
  close(): Promise<void>;
}
