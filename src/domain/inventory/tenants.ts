/** Tenants: the owners of objects. */

import { tenant_groups as groupTable, tenants as table } from "../../db/schema/mod.ts";
import {
  type Brief,
  customFieldsField,
  defineResource,
  type Field,
  id,
  type Out,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { commentsField, slugField } from "./common_fields.ts";
import { expiryNoticesField } from "./expiry_notices_field.ts";
import { detailField, nestedResource } from "./named.ts";
import { tagsField } from "./tags.ts";

const OBJECT_TYPE = "tenancy.tenant";

/** `tenancy.tenantgroup`. */
export const tenantGroups = nestedResource({
  objectType: "tenancy.tenantgroup",
  path: "tenancy/tenant-groups",
  label: "tenant group",
  table: groupTable,
});

/** `tenancy.tenant`. */
export const tenants = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/tenants",
  label: "tenant",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    slugField(),
    detailField("group", {
      description: "The group it belongs to, by id, slug or name.",
      target: (): Resource => tenantGroups,
      onDelete: "clear",
    }),
    text("description", { description: "Description." }),
    expiryNoticesField("the service's (`CERTMGR_EXPIRY_NOTICES`)"),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "slug", "description"],
  searchFields: ["name", "slug", "description"],
  order: [{ field: "name", descending: false }],
  unique: [
    { columns: ["name"], field: "name", message: "tenant with this name already exists." },
    { columns: ["slug"], field: "slug", message: "tenant with this slug already exists." },
  ],
});

export type Tenant = Out<typeof tenants>;

/** Defines the field `tenant` of a resource. */
export function tenantField(): Field<"tenant", Brief | null> {
  return reference("tenant", {
    description: "The tenant it belongs to, by id, name or slug.",
    target: (): Resource => tenants,
    keys: ["slug", "name"],
    onDelete: "restrict",
  });
}
