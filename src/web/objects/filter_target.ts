/** The objects to which the id in a filter refers. */

import { memoize } from "../../base/memoize.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { policies } from "../../domain/compliance/mod.ts";
import { contacts } from "../../domain/contacts/mod.ts";
import { devices, services, virtualMachines } from "../../domain/inventory/mod.ts";
import type { Field, Resource } from "../../resource/mod.ts";

/** Filters by ids other than those of fields, by the type of the listed objects. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  [certificates.objectType]: {
    owner: contacts,
    device_id: devices,
    virtual_machine_id: virtualMachines,
    service_id: services,
    unchecked_by: policies,
  },
};

/** Returns the resource: `tenant_id` of certificates refers to tenants; undefined for filters by other values. */
export function filterTarget(resource: Resource, name: string): Resource | undefined {
  const field = byIdFilter(resource).get(name);
  if (field !== undefined) return field.target?.();
  const others = OTHERS[resource.objectType] ?? {};
  return Object.hasOwn(others, name) ? others[name] : undefined;
}

/** Returns the fields of a resource by the names of their filters by id; a list asks for each of its filters. */
const byIdFilter = memoize(({ fields }: Resource): ReadonlyMap<string, Field> =>
  new Map(
    Object.values(fields).toReversed().flatMap((field) =>
      Object.keys(field.filters).map((filter) => [`${filter}_id`, field] as const)
    ),
  )
);
