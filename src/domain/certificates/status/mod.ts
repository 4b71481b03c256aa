/** Changes of status: of many certificates on request, of expired ones by time. */

export { bulkStatusUpdate } from "./bulk_status_update.ts";
export { expirySweep } from "./expiry_sweep.ts";
