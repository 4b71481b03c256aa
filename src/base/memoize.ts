/** Caches: of results by object, and those that keep their latest entries. */

/**
 * Returns a function that calls `make` once for each object, and returns the same result afterwards. The
 * result is kept as long as the object, so nothing must be evicted.
 */
export function memoize<Key extends WeakKey, Result>(make: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    let known = results.get(key);
    if (known === undefined) {
      known = { result: make(key) };
      results.set(key, known);
    }
    return known.result;
  };
}

/** Number of cached texts: a request has only a few different ones, and often the same as other requests. */
const REMEMBERED = 16;
/** Maximum length of a cached text: a chain of some dozen certificates. */
const MAX_CHARS = 128 * 1024;

/** Removes the entries of a map or set that were added first, until it has at most `most`. */
export function dropOldest<Key>(
  entries: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void {
  for (const key of entries.size > most ? entries.keys() : []) {
    if (entries.size > most) entries.delete(key);
    else return;
  }
}

/** A function of texts that caches its last results. */
export interface Recent<Result> {
  (text: string): Result;
  /** Caches a result that is known from elsewhere. */
  add(text: string, result: Result): void;
}

/**
 * Returns a function that caches the last {@link REMEMBERED} results of `make`, which must have no side
 * effects. Texts are compared, not looked up in a map, because V8 would hash a long text first, which takes
 * as long as many comparisons.
 */
export function cacheRecent<Result>(make: (text: string) => Result): Recent<Result> {
  const known: { readonly text: string; readonly result: Result }[] = [];
  let next = 0;
  function add(text: string, result: Result): void {
    if (text.length > MAX_CHARS) return;
    known[next] = { text, result };
    next = (next + 1) % REMEMBERED;
  }
  function recall(text: string): Result {
    for (const one of known) if (one.text === text) return one.result;
    const result = make(text);
    add(text, result);
    return result;
  }
  return Object.assign(recall, { add });
}
