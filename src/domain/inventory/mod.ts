/** What certificates belong to and are installed on: tenants, tags, devices, virtual machines, services. */

export { devices } from "./devices.ts";
export { virtualMachines } from "./virtual_machines.ts";
export { services } from "./services.ts";
export { tags, tagsField } from "./tags.ts";
export { tenantField, tenants } from "./tenants.ts";
export { expiryNoticesField } from "./expiry_notices_field.ts";
