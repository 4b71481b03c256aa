/**
 * Mutates certificates, requests and PKCS#7 for a given time and stops at the first input for which a parser breaks its
 * guarantees; this input is printed in hex. Needs no permission.
 *
 *     deno run tests/x509/fuzz.ts --seconds 60 --seed 1
 */

import { corpus, examine, mutate, random } from "./fuzzing.ts";

/** Returns the number after an option. */
function option(name: string, fallback: number): number {
  const at = Deno.args.indexOf(`--${name}`);
  if (at === -1) return fallback;
  const value = Number(Deno.args[at + 1]);
  if (!Number.isFinite(value)) throw new Error(`Expected a number after --${name}`);
  return value;
}

if (import.meta.main) {
  const seconds = option("seconds", 60);
  const seed = option("seed", Date.now() % 2 ** 31);
  const inputs = await corpus();
  const next = random(seed);
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  for (; performance.now() < end; count++) {
    const input = mutate(inputs[next(inputs.length)]!, { next, others: inputs });
    try {
      examine(input);
    } catch (error) {
      console.error(`Seed ${seed}, input ${count}: ${input.toHex()}`);
      throw error;
    }
  }
  console.log(`${count} inputs in ${seconds} s with seed ${seed}: nothing found`);
}
