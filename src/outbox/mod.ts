/** The record of what happened, and the queue of events that follows from it. */

export * from "./record.ts";
export { onEvents, type Waker } from "./wake.ts";
