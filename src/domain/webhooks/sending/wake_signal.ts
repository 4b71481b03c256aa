/** Wakes a waiting loop. */

/** A signal that stays set until a wait consumes it. */
export class WakeSignal {
  #isSet = false;
  #resolve: (() => void) | undefined;

  /** Sets the signal and wakes the waiting loop. */
  notify(): void {
    this.#isSet = true;
    this.#resolve?.();
  }

  /** Waits at most `limitMs` milliseconds for the signal and clears it. Returns whether it was set. */
  async wait(limitMs: number): Promise<boolean> {
    if (!this.#isSet) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const timer = setTimeout(resolve, limitMs);
      await promise;
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }
}
