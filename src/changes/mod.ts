/** The record of what happened, and the queue of events that follows from it. */

export * from "./record.ts";
export { announce, onCommittedEvents, type WakeUp } from "./wake.ts";
