/** Assignments: where certificates are used. */

import { sql } from "drizzle-orm";
import { finding } from "../../base/findings.ts";
import { certificate_assignments as table } from "../../db/schema/mod.ts";
import {
  boolean,
  defineResource,
  type Draft,
  generic,
  idReference,
  nested,
  type Out,
  reference,
  refuse,
  type Resource,
  targetFilter,
  targetText,
  text,
  type WriteStep,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";

/** The objects to which certificates can be assigned; each has a tenant. */
export const ASSIGNED_RESOURCES: readonly Resource[] = [devices, virtualMachines, services];

export const ASSIGNED_TYPES: readonly string[] = ASSIGNED_RESOURCES.map((target) => target.objectType);

/**
 * Refuses assignments across tenants. Objects without a tenant can be assigned to any. One statement, none if
 * no assignment changes.
 */
async function prepareAssignments({ tx, drafts }: WriteStep): Promise<void> {
  for (const { input, before, row } of drafts) {
    if (before !== undefined && Object.keys(input).length > 0) row.automatic = 0;
  }
  const changed = drafts.filter((draft) => Object.keys(draft.errors).length === 0 && isMoved(draft));
  if (changed.length === 0) return;
  const moved = changed.map((draft) => KEYS.map((key) => valueOf(draft, key)));
  const tenants = ASSIGNED_RESOURCES.map(({ objectType, table }) =>
    sql`WHEN ${objectType} THEN (SELECT tenant_id FROM ${table} WHERE id = moved.value->>2)`
  );
  const rows = await tx.all<{ place: number }>(
    sql`SELECT moved.key AS place FROM json_each(${JSON.stringify(moved)}) AS moved
        CROSS JOIN certificates ON certificates.id = moved.value->>0
        WHERE certificates.tenant_id <> CASE moved.value->>1 ${sql.join(tenants, sql` `)} END`,
  );
  const crossing = new Set(rows.map(({ place }) => place));
  for (const [place, draft] of changed.entries()) {
    if (crossing.has(place)) refuse(draft, "__all__", finding("other_tenant"));
  }
}

/** Columns that identify the certificate and the object. */
const KEYS = ["certificate_id", "assigned_object_type", "assigned_object_id"] as const;
const FIELDS: Readonly<Record<string, string>> = { certificate_id: "certificate" };

/** Returns the value of a column after the write: the given one, or the stored one. */
function valueOf({ input, row, before }: Draft, column: string): unknown {
  return row[column] ?? input[FIELDS[column] ?? column] ?? before?.[column] ?? null;
}

/**
 * Returns whether the certificate or the object changes. Existing assignments are kept if an object changes
 * its tenant.
 */
function isMoved(draft: Draft): boolean {
  return KEYS.some((key) => valueOf(draft, key) !== (draft.before?.[key] ?? null));
}

export const assignments = defineResource({
  objectType: "certmgr.certificateassignment",
  path: "plugins/certmgr/assignments",
  label: "assignment",
  table,
  fields: [
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
  ],
  brief: ["certificate", "assigned_object_type", "assigned_object_id", "is_primary"],
  displayNeeds: ["assigned_object_type", "assigned_object_id"],
  display: (row) => targetText(row, "assigned_object"),
  search: { fields: ["notes"] },
  filters: {
    device: targetFilter(table, "assigned_object", devices),
    virtual_machine: targetFilter(table, "assigned_object", virtualMachines),
    service: targetFilter(table, "assigned_object", services),
  },
  unique: [{
    columns: ["certificate_id", "assigned_object_type", "assigned_object_id"],
    field: "__all__",
    finding: finding("not_unique", {
      object: "Assignment",
      fields: "Certificate, Assigned object type and Assigned object id",
    }),
  }],
  // There is no PATCH for assignments.
  methods: { collection: ["GET", "POST", "PUT", "DELETE"], item: ["GET", "PUT", "DELETE"] },
  hooks: { prepare: prepareAssignments },
});

export type Assignment = Out<typeof assignments>;
