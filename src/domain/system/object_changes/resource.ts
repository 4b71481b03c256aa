/** The change log: time, user, object and fields of every change. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { readSnapshots, type Snapshot } from "../../../changes/mod.ts";
import { andAll, jsonText } from "../../../db/mod.ts";
import { object_changes as table } from "../../../db/schema/mod.ts";
import type { PredicateContext } from "../../../filters/mod.ts";
import {
  columnOf,
  datetime,
  defineResource,
  type Field,
  integer,
  json,
  labelledChoice,
  type Out,
  reference,
  text,
} from "../../../resource/mod.ts";
import { users } from "../../accounts/users/resource.ts";

const SNAPSHOT = z.record(z.string(), z.unknown()).nullable();

/** Defines a snapshot, one of the two in the column `snapshots`. */
function snapshot<const Name extends string>(
  name: Name,
  { column, description }: { column: "prechange" | "postchange"; description: string },
): Field<Name, Snapshot | null> {
  return {
    ...json(name, { column, description, schema: SNAPSHOT, readOnly: true }),
    size: { bytes: (alias) => sql`octet_length(${columnOf(alias, "snapshots")})` },
    select: ({ alias }) => [[
      column,
      sql`hex(${columnOf(alias, "snapshots")})`,
      (cell) => jsonText(readSnapshots(cell)[column]),
    ]],
  };
}

const TIME = { kind: "datetime", column: "time", nullable: false, sortable: false } as const;

/** `core.objectchange`. */
export const objectChanges = defineResource({
  objectType: "core.objectchange",
  path: "core/object-changes",
  page: "changes",
  label: "object change",
  table,
  fields: [
    datetime("time", { description: "Time of the change.", readOnly: true }),
    reference("user", {
      description: "The user; null for the service itself and for deleted users.",
      target: () => users,
      keys: ["username"],
      readOnly: true,
      onDelete: "keep",
    }),
    text("user_name", { description: "The user's name at that time.", readOnly: true, column: "username" }),
    text("request_id", { description: "Id of the request.", readOnly: true }),
    labelledChoice("action", {
      description: "Kind of change.",
      choices: { create: "Created", update: "Updated", delete: "Deleted" },
      readOnly: true,
    }),
    text("changed_object_type", { description: "Object type.", readOnly: true, column: "object_type" }),
    integer("changed_object_id", { description: "Id of the object.", readOnly: true, column: "object_id" }),
    text("related_object_type", {
      description:
        "Type of the object that a changed assignment is of or about, of a new successor, or of the message to an owner.",
      readOnly: true,
      nullable: true,
    }),
    integer("related_object_id", { description: "Id of that object.", readOnly: true, nullable: true }),
    text("object_repr", { description: "The object's name at that time.", readOnly: true }),
    text("message", {
      description: "The caller's comment on the change: `changelog_message` of the request body.",
      readOnly: true,
    }),
    snapshot("prechange_data", {
      column: "prechange",
      description: "Fields before the change; null for a creation.",
    }),
    snapshot("postchange_data", {
      column: "postchange",
      description: "Fields after the change; null for a deletion.",
    }),
  ],
  brief: ["time", "action", "changed_object_type", "changed_object_id"],
  displayNeeds: ["action", "changed_object_type", "object_repr"],
  display: (row) => `${row.action} ${row.object_type} ${row.object_repr}`,
  search: { fields: ["object_repr", "user_name", "message"] },
  // `time_after` and `time_before` are NetBox's. The others are names from earlier releases, supported until
  // 1.0, because stored permissions may have them in their constraints.
  filters: {
    history_of_certificate: {
      kind: "predicate",
      type: "integer",
      description:
        "Concerns the certificate, one that it replaced, its assignments, or contacts of it, its tenant or objects that it is assigned to",
      condition: historyOf,
    },
    time_after: { ...TIME, defaultOperator: "gte" },
    time_before: { ...TIME, defaultOperator: "lte" },
    username: { kind: "text", column: "username", nullable: false, sortable: true },
    object_type: { kind: "text", column: "object_type", nullable: false, sortable: true },
    object_id: { kind: "integer", column: "object_id", nullable: false, sortable: true },
  },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
});

export type ObjectChange = Out<typeof objectChanges>;

/**
 * Returns the condition for the changes of a certificate, and since its creation of its assignments and the contacts that
 * may own it.
 */
function historyOf(id: number, { alias, shown }: PredicateContext): SQL {
  const own = andAll(sql`owned.id = ${id}`, shown("certmgr.certificate", "owned"));
  const used = andAll(sql`used.certificate_id = ${id}`, shown("certmgr.certificateassignment", "used"));
  const rows = (type: string, table: string): SQL => {
    const seen = shown(type, "connected");
    const exists = seen && sql`EXISTS (SELECT 1 FROM ${sql.identifier(table)} AS connected
      WHERE connected.id = change.object_id AND ${seen})`;
    return sql`(${andAll(sql`change.object_type = ${type}`, exists)})`;
  };
  const kinds = [
    sql`change.object_type = 'certmgr.certificate'`,
    rows("tenancy.contactassignment", "contact_assignments"),
    rows("certmgr.certificateassignment", "certificate_assignments"),
  ];
  const related = andAll(
    sql`change.time >= (SELECT created FROM certificates WHERE id = ${id})`,
    sql`(${sql.join(kinds, sql` OR `)})`,
  );
  return sql`${columnOf(alias, "id")} IN (
    SELECT id FROM object_changes WHERE object_type = 'certmgr.certificate' AND object_id = ${id}
    UNION ALL SELECT change.id FROM (
      SELECT 'certmgr.certificate' AS type, ${id} AS id
      UNION SELECT 'tenancy.tenant', owned.tenant_id FROM certificates AS owned WHERE ${own}
      UNION SELECT used.assigned_object_type, used.assigned_object_id FROM certificate_assignments AS used
        WHERE ${used}
    ) AS place CROSS JOIN object_changes AS change
      ON change.related_object_type = place.type AND change.related_object_id = place.id
      WHERE ${related})`;
}
