/** The queue: hints that there is something to send. What is to be sent is in the database and nowhere else. */

/** A hint. Losing one costs time, never a message; hearing one twice costs a glance at the database. */
export interface Hint {
  /** The row of the outbox that it was sent for; 0 when it was for none. */
  readonly id: number;
}

/** Hears hints. What it throws is the queue's to survive. */
export type HintListener = (hint: Hint) => void;

/** Carries hints, at least once each, in no order, to one of its listeners. */
export interface Queue {
  send(hint: Hint): Promise<void>;
  /** Hears hints from now on, and those sent before that nobody has heard yet. Once for each queue. */
  listen(listener: HintListener): void;
  /** Ends it; hints that come later are dropped. Twice is once. */
  close(): Promise<void>;
}
