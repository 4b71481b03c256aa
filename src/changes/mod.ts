/** Change records and the outbox of events. */

export { ownRecentChanges } from "./own_recent.ts";
export {
  changedNames,
  isSameValue,
  readSnapshots,
  type Snapshot,
  SNAPSHOTS,
  type Snapshots,
} from "./snapshots.ts";
export * from "./record.ts";
export { announce, onCommittedEvents } from "./wake.ts";
