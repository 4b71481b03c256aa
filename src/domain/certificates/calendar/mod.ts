/** Calendars of expiry dates. */

export { parseFeedFilter, validateFilters } from "./filter.ts";
export { certificateFilterField } from "./filter_field.ts";
export { CALENDAR_PATH } from "./prepare.ts";
export { type CalendarDocument, readCalendar } from "./read_calendar.ts";
export { calendarFeeds } from "./resource.ts";
