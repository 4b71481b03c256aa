/** The filter of a calendar: the query of a certificate list, kept as text. */

import type { FieldErrors } from "../../../base/errors.ts";
import { type Condition, noRegexes, parseQuery } from "../../../filters/mod.ts";
import { fieldMap } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

/** What a calendar shows unless told: whatever still has a life of its own. */
export const DEFAULT_FILTER = "status=active&status=pending&status=expired";

/** A feed is read again and again, by anyone who has its address. */
const NO_REGEXES = noRegexes("in the filter of a calendar feed");

/** Reads a filter, or says by parameter what is wrong with it. */
export function readFilter(text: string): { readonly condition: Condition; readonly errors: FieldErrors } {
  return parseQuery(new URLSearchParams(text), fieldMap(certificates), {
    reserved: new Set(),
    regexes: NO_REGEXES,
  });
}

/** What is wrong with a filter, each message with the parameter's name. */
export function filterFaults(text: string): string[] {
  return Object.entries(readFilter(text).errors).flatMap(([name, messages]) =>
    messages.map((message) => name === "__all__" ? message : `“${name}”: ${message}`)
  );
}
