/** Expiry notices: events for certificates that expire soon. */

export { announceExpiries } from "./announce.ts";
export { evaluateThresholds } from "./evaluate_thresholds.ts";
export { passedSql } from "./select_due.ts";
