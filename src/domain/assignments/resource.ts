/** Assignments: where certificates are used. */

import { certificate_assignments as table } from "../../db/schema/mod.ts";
import {
  boolean,
  defineResource,
  generic,
  id,
  idReference,
  nested,
  type Out,
  reference,
  type Resource,
  targetFilter,
  targetText,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";
import { prepareAssignments } from "./prepare.ts";
import { ASSIGNED_RESOURCES } from "./targets.ts";

/** `certmgr.certificateassignment`. */
export const assignments = defineResource({
  objectType: "certmgr.certificateassignment",
  path: "plugins/certmgr/assignments",
  label: "assignment",
  table,
  fields: [
    id(),
    idReference(reference("certificate", {
      description: "The certificate, by id.",
      target: (): Resource => certificates,
      keys: [],
      required: true,
      nullable: false,
      onDelete: "cascade",
    })),
    nested("certificate_detail", {
      description: "The certificate; null if the caller may not view it.",
      column: "certificate_id",
      target: (): Resource => certificates,
    }),
    ...generic("assigned_object", {
      description: "The device, virtual machine or service that uses the certificate.",
      prefix: "assigned_object",
      targets: ASSIGNED_RESOURCES,
      required: true,
      onDelete: "restrict",
    }),
    boolean("is_primary", { description: "Whether it is the target's main certificate.", fallback: false }),
    text("notes", { description: "Notes.", max: 10_000 }),
    boolean("automatic", {
      description:
        "Whether the service made it, because an endpoint of the object serves the certificate. A change makes it an ordinary one.",
      readOnly: true,
      fallback: false,
    }),
    ...timestamps(),
  ],
  brief: ["certificate", "assigned_object_type", "assigned_object_id", "is_primary"],
  displayNeeds: ["assigned_object_type", "assigned_object_id"],
  display: (row) => targetText(row, "assigned_object"),
  searchFields: ["notes"],
  filters: {
    device: targetFilter(table, "assigned_object", devices),
    virtual_machine: targetFilter(table, "assigned_object", virtualMachines),
    service: targetFilter(table, "assigned_object", services),
  },
  unique: [{
    columns: ["certificate_id", "assigned_object_type", "assigned_object_id"],
    field: "__all__",
    message: "Assignment with this Certificate, Assigned object type and Assigned object id already exists.",
  }],
  // There is no PATCH for assignments.
  methods: { collection: ["GET", "POST", "PUT", "DELETE"], item: ["GET", "PUT", "DELETE"] },
  prepare: prepareAssignments,
});

export type Assignment = Out<typeof assignments>;
