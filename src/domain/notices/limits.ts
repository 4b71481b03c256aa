/** Limits of notifications, with their reasons. */

/** Maximum number of channels, because each may have its own connections. */
export const MAX_CHANNELS = 200;
/**
 * Maximum number of subscriptions per user, and of recipients per subscription, because each may become a
 * message.
 */
export const MAX_SUBSCRIPTIONS_PER_USER = 50;
export const MAX_RECIPIENTS = 20;
/**
 * Maximum number of certificates, and of events, that one evaluation of a subscription reads. The others are
 * in the next message. It must not exceed the number of values of a filter.
 */
export const MAX_DUE_NOTICES = 1_000;
/** Maximum number of notices in a message, which gives only the number of the others. */
export const MAX_LISTED_NOTICES = 200;
/**
 * Number of notices up to which an immediate subscription sends one message each. More are sent in one
 * message together.
 */
export const MAX_SINGLE_MESSAGES = 10;
/** Maximum number of objects in a line of a message ("assigned to lb-1, lb-2"). */
export const MAX_NAMED_TARGETS = 5;
/** Maximum length of a name or a reason in a message. */
export const MAX_NOTICE_TEXT_CHARS = 200;
/**
 * Maximum numbers of subscriptions and of notified occasions that one transaction stores, because writers
 * wait for it.
 */
export const SUBSCRIPTIONS_PER_TRANSACTION = 20;
export const NOTIFIED_PER_TRANSACTION = 500;
/** Number of changes that are read at once to derive events: a few milliseconds. */
export const CHANGE_BATCH = 100;
/** Days for which events are kept: longer than the longest pause between two digests. */
export const EVENT_KEPT_DAYS = 30;
/** Days for which an expired certificate may still be reported. */
export const EXPIRED_REPORT_DAYS = 30;
/** Days after which an open signing request is reported. */
export const OPEN_REQUEST_DAYS = 7;
/**
 * Number of consecutive failures after which a job is reported, because a single one may be a short outage.
 */
export const JOB_FAILURES = 3;
/** Days for which a link in a message is valid. */
export const LINK_DAYS = 30;
/** Interval at which immediate subscriptions search for certificates that reached a threshold. */
export const THRESHOLD_INTERVAL_MS = 3_600_000;
/** Maximum number of concurrent messages of a process, in total and per channel. */
export const NOTICE_SLOTS = 8;
export const NOTICE_SLOTS_PER_CHANNEL = 2;
