/** Waiting until something has happened that is to be looked at. */

/** A bell that stays rung until somebody has waited for it. */
export class WakeSignal {
  #rung = false;
  #hear: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#hear?.();
  }

  /** Waits until the bell is rung, or was since the last time; at most `limitMs` milliseconds. Gives whether it was. */
  async heard(limitMs: number): Promise<boolean> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#hear = resolve;
      const timer = setTimeout(resolve, limitMs);
      await promise;
      clearTimeout(timer);
      this.#hear = undefined;
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }
}
