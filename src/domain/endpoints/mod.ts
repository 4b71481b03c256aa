/** Endpoints, observations of them, and scans that find new ones. */

export { type Observation, observations } from "./observations.ts";
export { MAX_PRESENTED, MAX_PRESENTED_CHARS } from "./limits.ts";
export { PROBLEMS } from "./problems.ts";
export { displayOf, type Endpoint, endpoints } from "./resource.ts";
export {
  ENDPOINT_STATES,
  EXPIRED_ON,
  EXPIRES_ON,
  type FoundState,
  RIGHT_STATES,
  SELF_SIGNED,
  severityOf,
  SILENT_AGENT,
  supersededMessage,
  UNKNOWN_ISSUER,
  UNKNOWN_ROOT,
  WITHOUT_CERTIFICATE,
} from "./states.ts";
export { type ScanJob, scanJobs } from "./scan_jobs.ts";
