/** The field in which calendars and subscriptions store a filter for certificates as text. */

import { MAX_CALENDAR_FILTER_CHARS } from "../../../base/limits.ts";
import { type Field, text } from "../../../resource/mod.ts";

/** Defines the field `filter`: the query string of a certificate list. {@link validateFilters} checks it. */
export function certificateFilterField(
  { description, fallback }: { description: string; fallback: string },
): Field<"filter", string> {
  return { ...text("filter", { description, max: MAX_CALENDAR_FILTER_CHARS }), fallback };
}
