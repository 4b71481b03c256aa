/** Objects as NetBox's API shows them. */

import { CUSTOMIZED_TYPES } from "../custom_fields/mod.ts";
import type { Values } from "../../resource/mod.ts";

/** An object as NetBox's API shows it. */
export type RemoteRecord = Readonly<Values> & { readonly id: number };

/**
 * Leaves out types of objects that have no custom fields here. A field without any other types is refused
 * with the reason.
 */
export function withKnownTypes(record: RemoteRecord): RemoteRecord {
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
export function withParent(record: RemoteRecord): RemoteRecord {
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
