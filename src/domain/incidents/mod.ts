/** Incidents: certificates that have to be replaced at once, and how far that is. */

import type { keepIncidents as Keep } from "./keep_current.ts";

export { Criteria } from "./criteria.ts";
export { excludeMembers, includeMembers, listMembers, Member, type MemberPage } from "./list_members.ts";
export {
  burnDown,
  type Impact,
  INCIDENT_REPORT_FORMATS,
  incidentReport,
  type Left,
  previewIncident,
} from "./report.ts";
export {
  type Counts,
  type Incident,
  incidents,
  KINDS,
  type OpenIncident,
  openIncidents,
} from "./resource.ts";

/** Brings open incidents up to date. Loaded when it first runs. */
export async function keepIncidents(...args: Parameters<typeof Keep>): ReturnType<typeof Keep> {
  return await (await import("./keep_current.ts")).keepIncidents(...args);
}
