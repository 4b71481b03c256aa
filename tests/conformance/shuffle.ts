/** A repeatable shuffle, to show that the order of a pool does not matter. */

/** Returns the items in an order that depends on the seed only (Fisher-Yates over a 32-bit generator). */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const result = [...items];
  let state = seed >>> 0;
  for (let last = result.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor(state / 2 ** 32 * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
