/** The objects to which the id in a filter refers. */

import { memoize } from "../../../base/memoize.ts";
import { users } from "../../../domain/accounts/users/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { policies } from "../../../domain/compliance/mod.ts";
import { contacts } from "../../../domain/contacts/mod.ts";
import { devices, services, virtualMachines } from "../../../domain/inventory/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { auditEvents } from "../../../domain/system/audit_events/mod.ts";
import type { Field, Resource } from "../../../resource/mod.ts";

/** Filters by ids other than those of fields, by the type of the listed objects. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Resource>>>> = {
  [certificates.objectType]: {
    owner: contacts,
    device_id: devices,
    virtual_machine_id: virtualMachines,
    service_id: services,
    unchecked_by: policies,
  },
  [auditEvents.objectType]: { user_id: users },
};

/** Returns the resource: `tenant_id` of certificates refers to tenants; undefined for filters by other values. */
export function filterTarget(resource: Resource, name: string): Resource | undefined {
  const field = byIdFilter(resource).get(name);
  if (field !== undefined) return field.target?.();
  const others = OTHERS[resource.objectType] ?? {};
  return Object.hasOwn(others, name) ? others[name] : undefined;
}

/**
 * Returns the resource to whose ids a filter refers together with a filter by object type: devices for
 * `assigned_object_id` next to `assigned_object_type=dcim.device`; undefined without exactly one such type.
 */
export function typedTarget(
  resource: Resource,
  name: string,
  parameters: readonly (readonly [name: string, value: string])[],
): Resource | undefined {
  const id = name.replace(/__n$/, "");
  const type = id.replace(/_id$/, "_type");
  const { fields } = resource.map;
  if (type === id || !Object.hasOwn(fields, id) || !Object.hasOwn(fields, type)) return undefined;
  const types = new Set(parameters.filter(([one]) => one === type).map(([, value]) => value));
  const [only = ""] = types;
  return types.size === 1 ? resourceOf(only) : undefined;
}

/** Returns the fields of a resource by the names of their filters by id; a list asks for each of its filters. */
const byIdFilter = memoize(({ fields }: Resource): ReadonlyMap<string, Field> =>
  new Map(
    Object.values(fields).toReversed().flatMap((field) =>
      Object.keys(field.filters).map((filter) => [`${filter}_id`, field] as const)
    ),
  )
);
