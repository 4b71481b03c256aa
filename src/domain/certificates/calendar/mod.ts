/** Calendars of expiry dates. */

export { CALENDAR_PATH } from "./prepare.ts";
export { type CalendarDocument, readCalendar } from "./read_calendar.ts";
export { calendarFeeds } from "./resource.ts";
