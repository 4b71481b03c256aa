/** The history of certificates. */

export { certificateLifecycle, LifecycleEntry, type LifecyclePage } from "./lifecycle.ts";
