/** The history of certificates. */

export { certificateLifecycle, type LifecyclePage } from "./lifecycle.ts";
