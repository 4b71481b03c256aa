/** Change records and the outbox of events. */

export { type OwnChange, ownRecentChanges } from "./own_recent.ts";
export { isSameValue, readSnapshots, type Snapshot, SNAPSHOTS, type Snapshots } from "./snapshots.ts";
export * from "./record.ts";
export { announce, onCommittedEvents, type WakeUp } from "./wake.ts";
