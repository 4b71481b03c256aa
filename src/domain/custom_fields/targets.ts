/** Objects that have custom fields, and objects to which custom fields can refer. */

import type { Resource } from "../../resource/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contactGroups, contactRoles, contacts } from "../contacts/mod.ts";
import { devices, HARDWARE, services, tenantGroups, tenants, virtualMachines } from "../inventory/mod.ts";

/** Resources whose tables have the column `custom_fields`. */
export const CUSTOMIZED_RESOURCES: readonly Resource[] = [
  certificates,
  authorities,
  tenants,
  tenantGroups,
  contacts,
  contactGroups,
  contactRoles,
  devices,
  virtualMachines,
  services,
  ...HARDWARE,
];
export const CUSTOMIZED_TYPES: readonly string[] = CUSTOMIZED_RESOURCES.map(({ objectType }) => objectType);
