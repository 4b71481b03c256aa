/** Endpoints, observations of them, and scans that find new ones. */

export { observations } from "./observations.ts";
export { MAX_PRESENTED, MAX_PRESENTED_CHARS } from "./limits.ts";
export { PROBLEMS } from "./problems.ts";
export { displayOf, endpoints } from "./resource.ts";
export {
  ENDPOINT_STATES,
  FOUND_STATES,
  type FoundState,
  PROTOCOLS,
  severityOf,
  SILENT_AGENT,
} from "./states.ts";
export { scanJobs } from "./scan_jobs.ts";
