/** Divides alternative names as programs and people write them. */

import type { ObjectRow } from "../../db/mod.ts";
import { MAX_NAMES } from "../../base/limits.ts";
import { readNames } from "../../base/spellings/names.ts";
import { type Draft, quote, refuse, type Values } from "../../resource/mod.ts";

/**
 * Divides the names of a draft, except those that it has already, or that its PEM has: a name in a certificate or a
 * request can contain anything. `ofPem` is called only for names that would be divided.
 */
export function divideNames(
  draft: Draft<ObjectRow, Values & { sans?: string[] }>,
  ofPem: () => readonly string[],
): void {
  const { input, before } = draft;
  if (input.sans === undefined) return;
  let known: Set<unknown> | undefined;
  const isKnown = (name: string): boolean =>
    (known ??= new Set([...JSON.parse(String(before?.sans ?? "[]")), ...ofPem()])).has(name);
  const names = input.sans.flatMap((text) => {
    const read = readNames(text, isKnown);
    if (read !== undefined) return read;
    const message = `Expected one name, or several with commas or semicolons in between, not ${quote(text)}.`;
    refuse(draft, "sans", message);
    return [];
  });
  if (names.length > MAX_NAMES) {
    refuse(draft, "sans", `Expected at most ${MAX_NAMES} names, not ${names.length}.`);
  }
  input.sans = names;
}
