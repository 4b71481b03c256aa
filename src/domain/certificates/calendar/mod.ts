/** Calendars of expiry dates. */

export { parseFeedFilter, validateFilters } from "./filter.ts";
export { certificateFilterField } from "./filter_field.ts";
export { CALENDAR_PATH } from "./prepare.ts";
export { readCalendar } from "./read_calendar.ts";
export { type CalendarFeed, calendarFeeds } from "./resource.ts";
