/** Assignments of contacts to objects, each in a role. */

import { finding } from "../../base/findings.ts";
import { contact_assignments as table } from "../../db/schema/mod.ts";
import {
  defineResource,
  generic,
  labelledChoice,
  type Out,
  reference,
  type Resource,
  targetText,
} from "../../resource/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contactRoles, contacts, isForTenant } from "../contacts/mod.ts";
import { devices, services, tagsField, tenants, virtualMachines } from "../inventory/mod.ts";

const OBJECT_TYPE = "tenancy.contactassignment";

/**
 * `tenancy.contactassignment`. Part of its contact: callers who may not view the contact may not view its
 * assignments.
 */
export const contactAssignments = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contact-assignments",
  label: "contact assignment",
  table,
  fields: [
    ...generic("object", {
      description:
        "The certificate, certificate authority, tenant, device, virtual machine or service that the contact is " +
        "responsible for.",
      prefix: "object",
      targets: [certificates, authorities, tenants, devices, virtualMachines, services],
      required: true,
      onDelete: "cascade",
    }),
    reference("contact", {
      description: "The contact, by id or name.",
      target: (): Resource => contacts,
      keys: ["name"],
      required: true,
      nullable: false,
      onDelete: "restrict",
    }),
    reference("role", {
      description: "The contact's role, by id, name or slug.",
      target: (): Resource => contactRoles,
      keys: ["slug", "name"],
      onDelete: "restrict",
    }),
    labelledChoice("priority", {
      description: "Priority among the object's contacts. An inactive contact is never an owner.",
      choices: { primary: "Primary", secondary: "Secondary", tertiary: "Tertiary", inactive: "Inactive" },
      nullable: true,
    }),
    tagsField(OBJECT_TYPE),
  ],
  brief: ["contact", "role", "priority"],
  displayNeeds: ["priority", "object_type", "object_id"],
  display: (row) => `${targetText(row, "object")}${row.priority === null ? "" : ` (${row.priority})`}`,
  search: { fields: [] },
  order: [{ field: "priority", descending: false }, { field: "id", descending: false }],
  within: "contact",
  filters: {
    for_tenant: {
      kind: "predicate",
      type: "integer",
      description: "Of the tenant with this id, or of an object of it",
      condition: (id: number, { alias, shown }) => isForTenant(alias, id, shown),
    },
  },
  unique: [{
    columns: ["object_type", "object_id", "contact_id", "role_id"],
    nullsEqual: true,
    field: "__all__",
    finding: finding("not_unique", {
      object: "Contact assignment",
      fields: "Object type, Object id, Contact and Role",
    }),
  }],
});

export type ContactAssignment = Out<typeof contactAssignments>;
