/** Change records and the outbox of events. */

export * from "./record.ts";
export { announce, onCommittedEvents, type WakeUp } from "./wake.ts";
