/** Assignments of contacts to objects, each in a role. */

import { contact_assignments as table } from "../../db/schema/mod.ts";
import {
  defineResource,
  generic,
  id,
  labelledChoice,
  type Out,
  reference,
  type Resource,
  targetText,
  timestamps,
} from "../../resource/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contactRoles, contacts } from "../contacts/mod.ts";
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
    id(),
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
    ...timestamps(),
  ],
  brief: ["contact", "role", "priority"],
  displayNeeds: ["priority", "object_type", "object_id"],
  display: (row) => `${targetText(row, "object")}${row.priority === null ? "" : ` (${row.priority})`}`,
  searchFields: [],
  order: [{ field: "priority", descending: false }, { field: "id", descending: false }],
  within: "contact",
  unique: [{
    columns: ["object_type", "object_id", "contact_id", "role_id"],
    nullsEqual: true,
    field: "__all__",
    message: "Contact assignment with this Object type, Object id, Contact and Role already exists.",
  }],
});

export type ContactAssignment = Out<typeof contactAssignments>;
