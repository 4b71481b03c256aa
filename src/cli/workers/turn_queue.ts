/** Decides which worker may write: one at a time, in the order of their requests. */

/** How long a worker may keep the turn for which another one waits, in milliseconds. */
const TURN_LIMIT_MS = 30_000;

/** Callbacks of the queue. */
export interface TurnCalls {
  /** Gives the turn to a worker. */
  readonly grant: (worker: number, isAwaited: boolean) => void;
  /** Asks the holder to end its turn. */
  readonly yield: (worker: number) => void;
}

/**
 * The queue of workers that want to write. A holder keeps the turn until another worker needs it. A holder
 * that does not return it loses it after {@link TURN_LIMIT_MS}. The lock of the database still prevents
 * simultaneous writes.
 */
export class TurnQueue {
  readonly #calls: TurnCalls;
  readonly #limitMs: number;
  readonly #waiting: number[] = [];
  #holder: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(calls: TurnCalls, limitMs = TURN_LIMIT_MS) {
    this.#calls = calls;
    this.#limitMs = limitMs;
  }

  /** Must be called when a worker requests the turn to write. */
  ask(worker: number): void {
    this.#waiting.push(worker);
    if (this.#holder === undefined) return this.#next();
    if (this.#waiting.length > 1) return;
    this.#calls.yield(this.#holder);
    this.#watch();
  }

  /** Must be called when a worker has ended its turn. */
  end(worker: number): void {
    if (worker === this.#holder) this.#next();
  }

  /** Must be called when a worker has died. */
  remove(worker: number): void {
    const at = this.#waiting.indexOf(worker);
    if (at !== -1) this.#waiting.splice(at, 1);
    this.end(worker);
  }

  /** Clears the timer, so that the process can exit. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #next(): void {
    clearTimeout(this.#timer);
    this.#holder = this.#waiting.shift();
    if (this.#holder === undefined) return;
    const isAwaited = this.#waiting.length > 0;
    this.#calls.grant(this.#holder, isAwaited);
    if (isAwaited) this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#next(), this.#limitMs);
  }
}
