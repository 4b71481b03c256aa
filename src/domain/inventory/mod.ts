/** The other objects of the inventory: tenants, tags, devices, virtual machines, services. */

export { devices, virtualMachines } from "./hosts.ts";
export * from "./hardware.ts";
export { portsField, services } from "./services.ts";
export { expiryNoticesField, type Tenant, tenantField, tenantGroups, tenants } from "./tenants.ts";
export { namedResource, nestedResource } from "./named.ts";
export {
  commentsField,
  emailField,
  markdownField,
  MAX_TAGS,
  tags,
  tagsField,
  webAddress,
} from "./common_fields.ts";
