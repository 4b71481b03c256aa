/**
 * Filters by the assignments that the caller may view: whether a certificate has any, and to which objects.
 */

import { type SQL, sql } from "drizzle-orm";
import type { FilterField, ViewRestriction } from "../../filters/mod.ts";
import { columnOf, type Resource } from "../../resource/mod.ts";
import { isFollowed } from "../contacts/mod.ts";
import { devices, services, virtualMachines } from "../inventory/mod.ts";
import { ASSIGNMENT, existing, presence } from "./presence.ts";

/** `has_assignments`; `device`, `virtual_machine` and `service`, each with `_id` and with fields (`device__tenant`). */
export const assignmentFilters: Readonly<Record<string, FilterField>> = {
  has_assignments: presence(({ alias, shown }) => assignedSql(alias, shown)),
  device: assignedTo(devices),
  virtual_machine: assignedTo(virtualMachines),
  service: assignedTo(services),
};

/** Returns the condition that a certificate has an assignment. */
export function assignedSql(alias: string, shown: ViewRestriction): SQL {
  const assignment = `${alias}_assignment`;
  const own = sql`${columnOf(assignment, "certificate_id")} = ${columnOf(alias, "id")}`;
  return existing(sql`certificate_assignments`, assignment, own, shown(ASSIGNMENT, assignment));
}

/** Returns the filter by the objects of a type that a certificate is assigned to. */
function assignedTo(target: Resource): FilterField {
  const assignment = "assigned";
  return {
    kind: "many",
    target: () => target.map,
    keys: ["name"],
    anyOf: true,
    ids: (targets, shown) => {
      // Without `shown`, this is a constraint.
      const seen = shown === undefined ? isFollowed(assignment) : shown(ASSIGNMENT, assignment);
      // INDEXED BY, because with few assignments SQLite would otherwise scan all of them for each object.
      return sql`SELECT ${columnOf(assignment, "certificate_id")} FROM certificate_assignments AS ${
        sql.identifier(assignment)
      } INDEXED BY certificate_assignments_target WHERE ${
        columnOf(assignment, "assigned_object_type")
      } = ${target.objectType} AND ${columnOf(assignment, "assigned_object_id")} IN (${targets})${
        seen === undefined ? sql`` : sql` AND ${seen}`
      }`;
    },
  };
}
