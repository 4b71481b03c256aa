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
