/** State that the worker processes of a service share in addition to the database. */

/** Topics of messages. */
export type Topic =
  /** Numbers of requests by client since the last message, for the rate limit. */
  | "requests"
  /** Steps of sign-in attempts, for their limits. */
  | "sign-in"
  /** Events were committed, so the worker that delivers them must wake up. */
  | "events"
  /** Requests the metrics of each worker. */
  | "metrics";

/** The answer of another worker. */
export interface PeerAnswer {
  readonly worker: number;
  readonly value: unknown;
}

/** Number of the worker that does the background work: jobs, deliveries, probes. It answers no requests. */
export const BACKGROUND_WORKER = 0;

/** The other workers of this service. Values are sent as JSON. */
export interface Peers {
  /** Number of this worker: from 1, or {@link BACKGROUND_WORKER}. */
  readonly worker: number;
  /** Number of the workers that answer requests. */
  readonly workers: number;
  /** Sends a value to all other workers, without an answer. */
  notify(topic: Topic, value: unknown): void;
  /**
   * Sends a value to all other workers, and returns their answers when all have answered. Leaves out workers
   * that do not answer within `limitMs`, and those whose handler is missing or returns nothing.
   */
  ask(topic: Topic, value: unknown, limitMs: number): Promise<readonly PeerAnswer[]>;
  /** Registers the handler for messages of other workers. Its result is the answer to `ask`. */
  on(topic: Topic, handle: (value: unknown) => unknown): void;
}
