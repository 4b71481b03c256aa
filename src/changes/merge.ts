/** Several changes of one object in one transaction are one event. */

/** An event of a transaction that is not committed yet. */
export interface OpenEvent {
  /** `created`, `updated` or `deleted`. */
  readonly event: string;
  /** The last change that it tells of, and the first. */
  readonly changeId: number;
  readonly firstChangeId: number;
}

/**
 * What is left of an event when its object changes once more: created and updated is created, created and deleted is
 * nothing at all (null).
 */
export function mergeEvents(earlier: OpenEvent, later: OpenEvent): OpenEvent | null {
  const born = earlier.event === "created";
  if (later.event === "deleted" && born) return null;
  return {
    event: later.event === "updated" && born ? "created" : later.event,
    changeId: later.changeId,
    firstChangeId: earlier.firstChangeId,
  };
}
