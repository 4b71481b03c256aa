/** The objects to which the id in a filter refers. */

import { certificates } from "../../domain/certificates/mod.ts";
import { contacts } from "../../domain/contacts/mod.ts";
import { devices, services, virtualMachines } from "../../domain/inventory/mod.ts";
import type { Resource } from "../../resource/mod.ts";

/** Filters by ids other than those of fields, by the type of the listed objects. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  [certificates.objectType]: {
    owner: contacts,
    device_id: devices,
    virtual_machine_id: virtualMachines,
    service_id: services,
  },
};

/** Returns the resource: `tenant_id` of certificates refers to tenants; undefined for filters by other values. */
export function filterTarget(resource: Resource, name: string): Resource | undefined {
  const field = Object.values(resource.fields).find((one) =>
    Object.keys(one.filters).some((filter) => name === `${filter}_id`)
  );
  if (field !== undefined) return field.target?.();
  const others = OTHERS[resource.objectType] ?? {};
  return Object.hasOwn(others, name) ? others[name] : undefined;
}
