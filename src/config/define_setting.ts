/** The definition of a setting. */

/** An invalid value; `expected` completes the message "Expected …". */
export class InvalidValue extends Error {
  readonly expected: string;

  constructor(expected: string) {
    super(`Expected ${expected}.`);
    this.expected = expected;
  }
}

/** A setting, which is read from an environment variable. `T` is the type of its parsed value. */
export interface Setting<T> {
  readonly name: string;
  /** Meaning and unit, for the documentation. */
  readonly description: string;
  /** Parsed like a given value. If null, the value is undefined when the setting is absent. */
  readonly default: string | null;
  /** Parses a value. Throws {@link InvalidValue}. */
  readonly parse: (text: string) => T;
  /** Whether its value is never shown. */
  readonly secret: boolean;
}

/** Defines a setting with a default. */
export function setting<T>(
  name: string,
  options: { description: string; default: string; parse: (text: string) => T },
): Setting<T> {
  return { name, secret: false, ...options };
}

/** Defines a setting that may be absent. */
export function optional<T>(
  name: string,
  options: { description: string; parse: (text: string) => T; secret?: boolean },
): Setting<T | undefined> {
  return { name, secret: false, default: null, ...options };
}
