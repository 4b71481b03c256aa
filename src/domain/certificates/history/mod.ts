/** The history of certificates. */

export { certificateLifecycle, LifecycleEntry } from "./lifecycle.ts";
