/**
 * The kinds of objects that are imported from NetBox, ordered so that objects come after those to which they
 * refer. What is imported of an object follows from the definition of its resource.
 */

import { assignments } from "../assignments/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { policies } from "../compliance/mod.ts";
import { contactAssignments } from "../contact_assignments/mod.ts";
import { contactGroups, contactRoles, contacts } from "../contacts/mod.ts";
import { customFieldChoiceSets, customFields, CUSTOMIZED_TYPES } from "../custom_fields/mod.ts";
import { endpoints } from "../endpoints/mod.ts";
import {
  clusters,
  clusterTypes,
  deviceRoles,
  devices,
  deviceTypes,
  locations,
  manufacturers,
  platforms,
  regions,
  services,
  siteGroups,
  sites,
  tags,
  tenantGroups,
  tenants,
  virtualMachines,
} from "../inventory/mod.ts";
import type { Resource, Values } from "../../resource/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";

/** An object as NetBox's API shows it. */
export type RemoteRecord = Readonly<Values> & { readonly id: number };

/** A kind of object. */
export interface ImportKind {
  /** Name in `--only` and in the report. */
  readonly name: string;
  /** Path below `/api/`; `{plugin}` is the path of the certificate plugin. */
  readonly path: string;
  readonly resource: Resource;
  /** Fields that are copied unchanged. */
  readonly copied: readonly string[];
  /** References by field. */
  readonly references: Readonly<Record<string, Resource>>;
  /** Fields that identify an existing object that was not imported. */
  readonly keys: readonly string[];
  /** Name of a generic reference: `assigned_object`. */
  readonly generic: string | undefined;
  /** Reference to another object of the kind, which is set when all of them exist. */
  readonly later: string | undefined;
  /** Adjusts the record before it is read. */
  readonly adjust?: (record: RemoteRecord) => RemoteRecord;
}

/** What does not follow from the definition of a resource. */
interface Exceptions extends Pick<ImportKind, "adjust"> {
  readonly name?: string;
  /** Fields that are not copied, because others determine them. */
  readonly derived?: readonly string[];
}

/** Returns the kind of the objects of a resource. */
function kindOf(
  resource: Resource,
  keys: readonly string[],
  { name, derived = [], ...rest }: Exceptions = {},
): ImportKind {
  const fields = Object.values(resource.fields);
  const writable = fields.filter((field) =>
    field.input !== undefined && !field.readOnly && !field.writeOnly && field.shown?.alias === undefined
  );
  const names = writable.map((field) => field.name);
  const generic = names.find((one) => one.endsWith("_id") && names.includes(one.replace(/_id$/, "_type")))
    ?.replace(/_id$/, "");
  const others = [...derived, "tags", `${generic}_type`, `${generic}_id`];
  const targets = writable.flatMap((field) => {
    const target = field.refers?.target?.();
    return target === undefined || others.includes(field.name) ? [] : [[field.name, target] as const];
  });
  return {
    name: name ?? resource.path.split("/").at(-1) ?? "",
    path: resource.path.replace("plugins/certmgr/", "{plugin}/"),
    resource,
    copied: [
      ...writable.filter((field) => field.refers?.target === undefined && !others.includes(field.name))
        .map((field) => field.name),
      // Objects that need these are refused with the reason.
      ...Object.keys(resource.written?.unsupported ?? {}),
    ],
    references: Object.fromEntries(targets.filter(([, target]) => target !== resource)),
    keys,
    generic,
    later: targets.find(([, target]) => target === resource)?.[0],
    ...rest,
  };
}

export const KINDS: readonly ImportKind[] = [
  kindOf(tags, ["slug"]),
  kindOf(customFieldChoiceSets, ["name"]),
  kindOf(customFields, ["name"], { adjust: withKnownTypes }),
  kindOf(tenantGroups, ["slug"]),
  kindOf(tenants, ["slug"]),
  kindOf(regions, ["slug"]),
  kindOf(siteGroups, ["slug"]),
  kindOf(sites, ["slug"]),
  kindOf(locations, ["site", "slug"]),
  kindOf(manufacturers, ["slug"]),
  kindOf(deviceTypes, ["manufacturer", "slug"]),
  kindOf(deviceRoles, ["slug"]),
  kindOf(platforms, ["slug"]),
  kindOf(clusterTypes, ["slug"]),
  kindOf(clusters, ["name"]),
  kindOf(devices, ["name", "tenant"], {
    // In NetBox, a device may have no name, and its role had another field name before version 4.
    adjust: (record) => ({
      ...record,
      name: record.name ?? record.display,
      role: record.role ?? record.device_role,
    }),
  }),
  kindOf(virtualMachines, ["name", "tenant"]),
  kindOf(services, ["parent_object_type", "parent_object_id", "name", "protocol"], { adjust: withParent }),
  kindOf(contactGroups, ["slug"]),
  kindOf(contactRoles, ["slug"]),
  kindOf(contacts, ["name", "email"], {
    // Before version 4.3, a contact had only one group.
    adjust: (record) => ({ ...record, groups: record.groups ?? [record.group ?? []].flat() }),
  }),
  kindOf(authorities, ["name"], { name: "authorities" }),
  kindOf(certificates, ["serial_number", "issuer"], { derived: ["replacement_reason"] }),
  kindOf(assignments, ["certificate", "assigned_object_type", "assigned_object_id"]),
  kindOf(endpoints, ["host", "port", "server_name", "protocol"]),
  kindOf(signingRequests, ["common_name", "requested_date"], { derived: ["subject_string"] }),
  kindOf(policies, ["name"], { name: "policies" }),
  kindOf(contactAssignments, ["object_type", "object_id", "contact", "role"]),
];

/**
 * Leaves out types of objects that have no custom fields here. A field without any other types is refused
 * with the reason.
 */
function withKnownTypes(record: RemoteRecord): RemoteRecord {
  const given = record.object_types ?? record.content_types;
  const types: unknown[] = Array.isArray(given) ? given : [];
  const known = types.map(objectTypeOf).filter((type) => CUSTOMIZED_TYPES.includes(type));
  const related = record.related_object_type;
  return {
    ...record,
    object_types: known.length > 0 ? known : types.map(String),
    related_object_type: related === null || related === undefined || related === ""
      ? null
      : objectTypeOf(related),
  };
}

/** Returns the object type (`dcim.device`). The types of the certificate plugin have other names there. */
export function objectTypeOf(value: unknown): string {
  const given = typeof value === "object" && value !== null && "app_label" in value
    ? `${value.app_label}.${"model" in value ? value.model : undefined}`
    : String(value);
  return given.replace(/^netbox_ssl\./, "certmgr.");
}

/** Returns a service with a parent. Before version 4.3, it had `device` and `virtual_machine` instead. */
function withParent(record: RemoteRecord): RemoteRecord {
  if (record.parent_object_type !== undefined) return record;
  const [type, parent] = record.device
    ? ["dcim.device", record.device]
    : ["virtualization.virtualmachine", record.virtual_machine];
  const id = idOf(parent);
  return { ...record, parent_object_type: id === null ? null : type, parent_object_id: id };
}

/** Returns the id of an object, which may be given as its id; null if there is none. */
export function idOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "number" ? id : null;
}
