/** Pseudo-random numbers that are the same for the same seed. Not for secrets. */

/** A stream of random numbers. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** This many random bytes. */
  bytes(count: number): Uint8Array;
}

/** Creates a stream of random numbers that depends only on the seed. */
export function seeded(seed: string): Random {
  let state = hash(seed);
  function next(): number {
    // A Weyl sequence, its steps mixed by multiplications: even enough for names and dates.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    between,
    pick<T>(list: readonly T[]): T {
      return list[between(0, list.length - 1)] as T;
    },
    chance: (probability) => next() < probability,
    bytes: (count) => Uint8Array.from({ length: count }, () => between(0, 255)),
  };
}

function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum;
}
