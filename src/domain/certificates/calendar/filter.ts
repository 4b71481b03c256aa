/** The filter of a calendar feed or subscription: the query string of a certificate list. */

import type { Context } from "../../../auth/mod.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { type Condition, mapIn, noRegexes, parseQuery, quoteInput } from "../../../filters/mod.ts";
import { refuse, withoutSetAside, type WriteStep } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

/** By default, everything except replaced and revoked certificates, which need no action. */
export const DEFAULT_FILTER = "status=active&status=pending&status=expired";

/**
 * Regular expressions are refused, because they would run for every request for the calendar and for every
 * message.
 */
const NO_REGEXES = noRegexes("in the filter of a calendar feed or subscription");

/** Parses a filter. `errors` has messages by parameter. */
export function parseFeedFilter(
  { database }: Pick<Context, "database">,
  text: string,
): { readonly condition: Condition; readonly errors: FieldErrors } {
  const params = new URLSearchParams(text);
  const { condition, errors } = parseQuery(params, mapIn({ database }, certificates.map), {
    reserved: new Set(),
    regexes: NO_REGEXES,
  });
  return { condition: withoutSetAside(certificates, condition, params.keys()), errors };
}

/** Adds the errors in the filters of drafts, each with the name of its parameter. */
export function validateFilters({ ctx, drafts }: WriteStep): void {
  for (const draft of drafts) {
    const { input: { filter }, errors } = draft;
    if (typeof filter !== "string" || errors.filter !== undefined) continue;
    for (const [name, messages] of Object.entries(parseFeedFilter(ctx, filter).errors)) {
      for (const message of messages) {
        refuse(draft, "filter", name === "__all__" ? message : `${quoteInput(name)}: ${message}`);
      }
    }
  }
}
