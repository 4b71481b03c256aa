/** Expiry notices: events for certificates that expire soon. */

export { announceExpiries, type ExpiryNoticesRun } from "./announce.ts";
export { evaluateThresholds, type NoticeDecision, type NoticeState } from "./evaluate_thresholds.ts";
export { passedSql } from "./select_due.ts";
