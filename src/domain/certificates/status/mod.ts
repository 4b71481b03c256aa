/** Changes of status: by hand for many, by time for all. */

export { bulkStatusUpdate, type StatusUpdate } from "./bulk_status_update.ts";
export { expirySweep, type Sweep } from "./expiry_sweep.ts";
