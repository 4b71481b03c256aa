/** The field that stores a filter of certificates as text, of calendars and of subscriptions. */

import { MAX_CALENDAR_FILTER_CHARS } from "../../../base/limits.ts";
import { type Field, text } from "../../../resource/mod.ts";

/** Defines the field `filter`: the query of a certificate list, which {@link validateFilters} validates. */
export function certificateFilterField(
  { description, fallback }: { description: string; fallback: string },
): Field {
  return { ...text("filter", { description, max: MAX_CALENDAR_FILTER_CHARS, filter: false }), fallback };
}
