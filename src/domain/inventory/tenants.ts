/** Tenants: whose a thing is. */

import { tenants as table } from "../../db/schema/mod.ts";
import { defineResource, type Field, id, reference, text, timestamps } from "../../resource/mod.ts";
import { expiryNoticesField } from "./expiry_notices_field.ts";
import { tagsField } from "./tags.ts";

const OBJECT_TYPE = "tenancy.tenant";

/** `tenancy.tenant`. */
export const tenants = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/tenants",
  label: "tenant",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    text("slug", {
      description: "Name in URLs and filters; unique.",
      required: true,
      max: 100,
      pattern: { regex: /^[-\w]+$/, expected: "letters, digits, hyphens and underscores" },
    }),
    text("description", { description: "Who this is." }),
    expiryNoticesField("the service's (`CERTMGR_EXPIRY_NOTICES`)"),
    tagsField(OBJECT_TYPE),
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

/** The `tenant` field of any resource. */
export function tenantField(): Field {
  return reference("tenant", {
    description: "The tenant it belongs to, by id, name or slug.",
    target: () => tenants,
    keys: ["slug", "name"],
    onDelete: "restrict",
  });
}
