/** Remembers what was made of the last few long texts. */

/** Texts that are remembered: a request has few different ones, or comes with the same few as others. */
const REMEMBERED = 16;
/** Characters of the longest one: a chain of some dozen certificates. */
const MAX_CHARS = 128 * 1024;

/** A function of texts that remembers its last results. */
export interface Recent<Result> {
  (text: string): Result;
  /** Remembers a result that is known from elsewhere. */
  note(text: string, result: Result): void;
}

/**
 * Returns a function that does the same as `make`, which must be pure, and remembers the last {@link REMEMBERED} results.
 * Texts are compared, not looked up: V8 would hash a long one first, which takes as long as many comparisons.
 */
export function recent<Result>(make: (text: string) => Result): Recent<Result> {
  const known: { readonly text: string; readonly result: Result }[] = [];
  let next = 0;
  function note(text: string, result: Result): void {
    if (text.length > MAX_CHARS) return;
    known[next] = { text, result };
    next = (next + 1) % REMEMBERED;
  }
  function recall(text: string): Result {
    for (const one of known) if (one.text === text) return one.result;
    const result = make(text);
    note(text, result);
    return result;
  }
  return Object.assign(recall, { note });
}
