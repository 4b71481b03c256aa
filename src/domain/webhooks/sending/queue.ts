/**
 * A queue brings hints that there is something to send. The messages themselves are only in the database, and a
 * process leases the row of a message before it sends it. So a lost hint delays a message until the next sweep, and
 * a repeated one costs a query.
 */
export interface Queue {
  /**
   * Sends a hint with the id of a row of the outbox, or of a message that is due after the delay; 0 for any.
   * Never throws or waits.
   */
  send(id: number, delayMs?: number): void;
  /** Registers the function that hints call. It must not throw. Must be called only once per queue. */
  listen(listener: (id: number) => Promise<void>): void;
  /** Drops all hints, and ends when the last one was received. Idempotent. */
  close(): Promise<void>;
}
