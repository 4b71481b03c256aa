/** Endpoints, observations of them, and scans that find new ones. */

export { observations } from "./observations.ts";
export { MAX_PRESENTED, MAX_PRESENTED_CHARS } from "./limits.ts";
export { PROBLEMS } from "./problems.ts";
export { displayOf, endpoints } from "./resource.ts";
export {
  ENDPOINT_STATES,
  EXPIRED_ON,
  EXPIRES_ON,
  FOUND_STATES,
  type FoundState,
  PROTOCOLS,
  RIGHT_STATES,
  SELF_SIGNED,
  severityOf,
  SILENT_AGENT,
  supersededMessage,
  UNKNOWN_ISSUER,
  UNKNOWN_ROOT,
  WITHOUT_CERTIFICATE,
} from "./states.ts";
export { scanJobs } from "./scan_jobs.ts";
