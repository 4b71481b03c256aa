/** Changes of the status: of many certificates on request, and of expired ones by a job. */

export { bulkStatusUpdate } from "./bulk_status_update.ts";
export { undoStatusUpdate } from "./undo_status_update.ts";
export { expirySweep, SWEEP_JOB } from "./expiry_sweep.ts";
