/** The other objects of the inventory: tenants, tags, devices, virtual machines, services. */

export { devices } from "./devices.ts";
export { virtualMachines } from "./virtual_machines.ts";
export { services } from "./services.ts";
export { MAX_TAGS, tags, tagsField } from "./tags.ts";
export { type Tenant, tenantField, tenantGroups, tenants } from "./tenants.ts";
export { locations, regions, siteGroups, sites } from "./sites.ts";
export { deviceRoles, deviceTypes, manufacturers, platforms } from "./hardware.ts";
export { clusters, clusterTypes } from "./clusters.ts";
export { namedResource, nestedResource } from "./named.ts";
export { expiryNoticesField } from "./expiry_notices_field.ts";
export { commentsField, emailField, markdownField, webAddress } from "./common_fields.ts";
