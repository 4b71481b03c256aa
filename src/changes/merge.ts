/** Merges the changes of one object in one transaction into one event. */

/** An event of an open transaction. */
export interface OpenEvent {
  /** `created`, `updated` or `deleted`. */
  readonly event: string;
  /** The last and the first of its changes. */
  readonly changeId: number;
  readonly firstChangeId: number;
}

/**
 * Merges two consecutive events of an object: created and updated is created, created and deleted is null (no event).
 */
export function mergeEvents(earlier: OpenEvent, later: OpenEvent): OpenEvent | null {
  const created = earlier.event === "created";
  if (later.event === "deleted" && created) return null;
  return {
    event: later.event === "updated" && created ? "created" : later.event,
    changeId: later.changeId,
    firstChangeId: earlier.firstChangeId,
  };
}
