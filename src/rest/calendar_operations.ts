/** The calendars of feeds. */

import { finding } from "../base/findings.ts";
import { invalid } from "../base/errors.ts";
import { CALENDAR_PAST_DAYS, MAX_CALENDAR_EVENTS } from "../base/limits.ts";
import { CALENDAR_PATH } from "../domain/certificates/calendar/resource.ts";
import { readCalendar } from "../domain/certificates/calendar/read_calendar.ts";
import { CALENDAR_TYPE } from "../formats/mod.ts";
import { type Call, get, type Operation } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";
import { isKnown } from "./http.ts";

/** How long a client may cache a calendar, in seconds. */
const CALENDAR_MAX_AGE_S = 3_600;

/** Returns the operation. Calendar programs send no credentials, so the URL contains a token instead. */
export function calendarOperations(): Operation[] {
  return [get(CALENDAR_PATH, {
    operationId: "getCalendar",
    summary: "Read the calendar of a feed",
    description:
      "Needs only the feed's token. The calendar has the expiries that the feed's creator may view at the " +
      `time and that its filter selects: at most ${MAX_CALENDAR_EVENTS}, starting ${CALENDAR_PAST_DAYS} days ago. It has an ` +
      "`ETag`; with it in `If-None-Match` the response is 304 until something changes.",
    anonymous: true,
    parameters: () => [{
      name: "token",
      description: "The feed's secret.",
      schema: { type: "string" },
      required: true,
    }],
    responses: {
      200: { description: "The calendar (iCalendar, RFC 5545).", mediaTypes: ["text/calendar"] },
      304: { description: "Not changed since the version named in If-None-Match." },
      404: {
        description: "No feed has this token, or its user is inactive.",
        schema: { $ref: "#/components/schemas/Detail" },
      },
    },
    handle: calendar,
  })];
}

async function calendar({ ctx, query, request }: Call): Promise<Response> {
  refuseUnknown(query, ["token"]);
  const token = query.get("token");
  if (token === null) throw invalid([{ ...finding("required"), field: "token" }]);
  const { text, etag } = await readCalendar({ deps: ctx, token });
  const headers = { etag, "cache-control": `private, max-age=${CALENDAR_MAX_AGE_S}` };
  if (isKnown(request, etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(text, { headers: { ...headers, "content-type": CALENDAR_TYPE } });
}
