/** The record of what happened, and the queue of events that follows from it. */

export * from "./record.ts";
export { announce, onEvents, type Waker } from "./wake.ts";
