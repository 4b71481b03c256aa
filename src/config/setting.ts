/** What one setting is. */

/** A text that a parser does not take; `want` completes "want …". */
export class UnfitValue extends Error {
  readonly want: string;

  constructor(want: string) {
    super(`Value is not fit, want ${want}`);
    this.want = want;
  }
}

/** One environment variable. `T` is what its text becomes. */
export interface Setting<T> {
  readonly name: string;
  /** For people: what it does, units included. */
  readonly description: string;
  /** Read as if it had been set; null: the setting may be absent and is then undefined. */
  readonly default: string | null;
  /** Throws {@link UnfitValue}. */
  readonly parse: (text: string) => T;
  /** Its value is never shown. */
  readonly secret: boolean;
}

/** A setting with a default. */
export function setting<T>(
  name: string,
  options: { description: string; default: string; parse: (text: string) => T },
): Setting<T> {
  return { name, secret: false, ...options };
}

/** A setting that may be absent. */
export function optional<T>(
  name: string,
  options: { description: string; parse: (text: string) => T; secret?: boolean },
): Setting<T | undefined> {
  return { name, secret: false, default: null, ...options };
}
