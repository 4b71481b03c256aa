/** Limits of notifications, with their reasons. */

/** Channels: each may have connections of its own. */
export const MAX_CHANNELS = 200;
/** Subscriptions of one user, and recipients of one subscription: each may become a message. */
export const MAX_SUBSCRIPTIONS_PER_USER = 50;
export const MAX_RECIPIENTS = 20;
/**
 * Certificates, and events, that one evaluation of a subscription reads; the others follow in the next message. No more
 * than a filter may have values.
 */
export const MAX_DUE_NOTICES = 1_000;
/** Notices that a message lists; it counts the others. */
export const MAX_LISTED_NOTICES = 200;
/** Notices up to which an immediate subscription sends one message for each; more go into one message together. */
export const MAX_SINGLE_MESSAGES = 10;
/** Objects named in one line of a message ("installed on lb-1, lb-2"). */
export const MAX_NAMED_TARGETS = 5;
/** Characters of a name or a reason in a message. */
export const MAX_NOTICE_TEXT_CHARS = 200;
/** Subscriptions that are stored in one transaction, and notified occasions after which it ends: writers wait for it. */
export const SUBSCRIPTIONS_PER_TRANSACTION = 20;
export const NOTIFIED_PER_TRANSACTION = 500;
/** Changes that are read at a time when events are derived from the change log: a few milliseconds. */
export const CHANGE_BATCH = 100;
/** Days for which events are kept: longer than the longest pause between two digests. */
export const EVENT_KEPT_DAYS = 30;
/** Days for which an expired certificate may still be reported. */
export const EXPIRED_REPORT_DAYS = 30;
/** Days after which an open signing request is reported. */
export const OPEN_REQUEST_DAYS = 7;
/** Consecutive failures of a job from which on it is reported: one failure may be a short outage. */
export const JOB_FAILURES = 3;
/** Days for which a link in a message works. */
export const LINK_DAYS = 30;
/** Interval at which an immediate subscription looks for certificates that have reached a threshold. */
export const THRESHOLD_INTERVAL_MS = 3_600_000;
/** Concurrent messages of one process, in total and per channel. */
export const NOTICE_SLOTS = 8;
export const NOTICE_SLOTS_PER_CHANNEL = 2;
