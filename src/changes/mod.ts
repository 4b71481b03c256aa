/** Change records and the outbox of events. */

export { type OwnChange, ownRecentChanges } from "./own_recent.ts";
export { isSameValue, snapshotText } from "./pack_snapshots.ts";
export * from "./record.ts";
export { announce, onCommittedEvents, type WakeUp } from "./wake.ts";
