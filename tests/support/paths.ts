/** Paths of the service for scenarios. */

const CERTMGR = "/api/plugins/certmgr";

/** Paths of the collections. */
export const PATHS = {
  certificates: `${CERTMGR}/certificates/`,
  authorities: `${CERTMGR}/certificate-authorities/`,
  assignments: `${CERTMGR}/assignments/`,
  requests: `${CERTMGR}/csrs/`,
  policies: `${CERTMGR}/compliance-policies/`,
  checks: `${CERTMGR}/compliance-checks/`,
  channels: `${CERTMGR}/notification-channels/`,
  savedViews: `${CERTMGR}/saved-views/`,
  subscriptions: `${CERTMGR}/subscriptions/`,
  notices: `${CERTMGR}/notification-deliveries/`,
  feeds: `${CERTMGR}/calendar-feeds/`,
  endpoints: `${CERTMGR}/endpoints/`,
  observations: `${CERTMGR}/observations/`,
  scanJobs: `${CERTMGR}/scan-jobs/`,
  devices: "/api/dcim/devices/",
  machines: "/api/virtualization/virtual-machines/",
  services: "/api/ipam/services/",
  tenants: "/api/tenancy/tenants/",
  customFields: "/api/extras/custom-fields/",
  choiceSets: "/api/extras/custom-field-choice-sets/",
  contacts: "/api/tenancy/contacts/",
  contactGroups: "/api/tenancy/contact-groups/",
  contactRoles: "/api/tenancy/contact-roles/",
  contactAssignments: "/api/tenancy/contact-assignments/",
  tags: "/api/extras/tags/",
  users: "/api/users/users/",
  groups: "/api/users/groups/",
  tokens: "/api/users/tokens/",
  permissions: "/api/users/permissions/",
  changes: "/api/core/object-changes/",
  audit: "/api/core/audit-events/",
  webhooks: "/api/extras/webhooks/",
  deliveries: "/api/extras/webhook-deliveries/",
  tenantGroups: "/api/tenancy/tenant-groups/",
  regions: "/api/dcim/regions/",
  siteGroups: "/api/dcim/site-groups/",
  sites: "/api/dcim/sites/",
  locations: "/api/dcim/locations/",
  manufacturers: "/api/dcim/manufacturers/",
  deviceTypes: "/api/dcim/device-types/",
  deviceRoles: "/api/dcim/device-roles/",
  platforms: "/api/dcim/platforms/",
  clusterTypes: "/api/virtualization/cluster-types/",
  clusters: "/api/virtualization/clusters/",
} as const;

/** Returns the path of the calendar with this token. */
export function calendar(token: string): string {
  return `${PATHS.certificates}calendar.ics?token=${token}`;
}

/** Returns the path of a certificate or of something below it: `certificate(1, "export/?format=csv")`. */
export function certificate(id: number, below = ""): string {
  return `${PATHS.certificates}${id}/${below}`;
}
