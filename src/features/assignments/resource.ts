/** Assignments: where a certificate is in use. */

import { certificate_assignments as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  defineResource,
  id,
  integer,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";

/** Kinds of objects that certificates are assigned to. */
export const TARGET_TYPES = ["dcim.device", "virtualization.virtualmachine", "ipam.service"] as const;

/** `certmgr.certificateassignment`. */
export const assignments: Resource = defineResource({
  objectType: "certmgr.certificateassignment",
  path: "plugins/certmgr/assignments",
  label: "assignment",
  table,
  fields: [
    id(),
    reference("certificate", {
      description: "The certificate.",
      target: () => certificates,
      keys: [],
      required: true,
      nullable: false,
      onDelete: "cascade",
    }),
    choice("assigned_object_type", {
      description: "Kind of the target.",
      choices: TARGET_TYPES,
      required: true,
    }),
    integer("assigned_object_id", { description: "Id of the target.", min: 1, required: true }),
    boolean("is_primary", { description: "Whether it is the target's main certificate.", fallback: false }),
    text("notes", { description: "Remarks.", max: 10_000 }),
    ...timestamps(),
  ],
  brief: ["assigned_object_type", "assigned_object_id", "is_primary"],
  displayNeeds: ["assigned_object_type", "assigned_object_id"],
  display: (row) => `${row.assigned_object_type} ${row.assigned_object_id}`,
  events: true,
});
