/** Findings about fields: what is expected, and the quoted value. */

import { encoded, type Finding, finding } from "../../../base/findings.ts";
import { quoteJson } from "../../../base/quote.ts";
import { MAX_MISSPELLED_CHARS, nearest } from "../../../filters/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";

/**
 * Quotes a value for a message, shortened and with control characters escaped. Never quotes a private key.
 */
export function quote(value: unknown): string {
  return holdsPrivateKey(JSON.stringify(value) ?? "") ? "a private key" : quoteJson(value);
}

/** Returns the `error` option of a zod schema: findings for missing and null values, otherwise `expected`. */
export function expectedError(expected: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => encoded(missing(input) ?? unexpected(expected, input)) };
}

/** Returns the finding for a missing or null value. */
export function missing(input: unknown): Finding | undefined {
  return input === undefined ? finding("required") : input === null ? finding("not_null") : undefined;
}

/** Returns the finding for a value that is something else. */
export function unexpected(expected: string, value: unknown): Finding {
  return finding("unexpected", { expected, value: quote(value) });
}

/** Maximum number of choices that a message lists. */
const MAX_LISTED = 10;

/** Returns {@link expectedError} for choices: lists at most ten by default, and suggests the one that was probably meant. */
export function choiceError(
  choices: readonly string[],
  most = MAX_LISTED,
): { error: (issue: { input?: unknown }) => string } {
  const others = choices.length - most;
  return {
    error({ input }): string {
      const suggestion = others > 1 && typeof input === "string" ? choiceLike(input, choices) : undefined;
      const listed = others > 1 ? { choices: choices.slice(0, most), others } : { choices };
      return encoded(
        missing(input) ?? finding("expected_one_of", { ...listed, value: quote(input), suggestion }),
      );
    },
  };
}

/** Returns the choice that was probably meant: `certmgr.certificate` for `certificate`. */
function choiceLike(given: string, choices: readonly string[]): string | undefined {
  if (given === "" || given.length > MAX_MISSPELLED_CHARS) return undefined;
  const word = given.toLowerCase();
  return choices.find((choice) => choice.endsWith(`.${word}`)) ?? nearest(word, choices);
}

/** Returns the finding for an unknown field, with the name that was probably meant. */
export function unknownField(name: string, known: Iterable<string>): Finding {
  return finding("unknown_field", { suggestion: nearest(name, known) });
}
