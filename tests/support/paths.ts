/** Addresses of the service, as scenarios write them. */

const CERTMGR = "/api/plugins/certmgr";

/** Collections. */
export const PATHS = {
  certificates: `${CERTMGR}/certificates/`,
  authorities: `${CERTMGR}/certificate-authorities/`,
  assignments: `${CERTMGR}/assignments/`,
  requests: `${CERTMGR}/csrs/`,
  policies: `${CERTMGR}/compliance-policies/`,
  checks: `${CERTMGR}/compliance-checks/`,
  feeds: `${CERTMGR}/calendar-feeds/`,
  devices: "/api/dcim/devices/",
  machines: "/api/virtualization/virtual-machines/",
  services: "/api/ipam/services/",
  tenants: "/api/tenancy/tenants/",
  tags: "/api/extras/tags/",
  users: "/api/users/users/",
  groups: "/api/users/groups/",
  tokens: "/api/users/tokens/",
  permissions: "/api/users/permissions/",
  changes: "/api/core/object-changes/",
  webhooks: "/api/extras/webhooks/",
  deliveries: "/api/extras/webhook-deliveries/",
} as const;

/** The calendar that a token opens. */
export function calendar(token: string): string {
  return `${PATHS.certificates}calendar.ics?token=${token}`;
}

/** One certificate, or what is below it: `certificate(1, "export/?format=csv")`. */
export function certificate(id: number, below = ""): string {
  return `${PATHS.certificates}${id}/${below}`;
}
