/** Endpoints, observations of them, and scans that find new ones. */

export { type Observation, observations } from "./observations.ts";
export { displayOf, type Endpoint, endpoints, PROBLEMS } from "./resource.ts";
export {
  ENDPOINT_STATES,
  type FoundState,
  MAX_PRESENTED,
  NOTICED_STATES,
  presentedExcess,
  RIGHT_STATES,
  severityOf,
  WITHOUT_CERTIFICATE,
} from "./states.ts";
export { type ScanJob, scanJobs } from "./scan_jobs.ts";
