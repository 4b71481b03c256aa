/** Checks references by type and id, for which foreign keys are impossible. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { counted } from "../../../base/amounts.ts";
import { resources } from "../../registry.ts";
import { type Check, toCheckResult } from "./check_result.ts";

/** Tables with such references. */
const POINTERS = [
  { table: "tagged_items", type: "object_type", id: "object_id" },
  { table: "contact_assignments", type: "object_type", id: "object_id" },
  { table: "certificate_assignments", type: "assigned_object_type", id: "assigned_object_id" },
  { table: "endpoints", type: "assigned_object_type", id: "assigned_object_id" },
  { table: "services", type: "parent_object_type", id: "parent_object_id" },
] as const;

/** Returns the condition that the object exists. Unknown types have no objects. */
function present(type: SQL, id: SQL): SQL {
  const cases = resources.map((one) =>
    sql`WHEN ${one.objectType} THEN EXISTS (SELECT 1 FROM ${sql.identifier(getTableName(one.table))} AS target
      WHERE target.id = ${id})`
  );
  return sql`CASE ${type} ${sql.join(cases, sql` `)} ELSE 0 END`;
}

/** Checks tags, assignments, endpoints and services. One statement per table. */
export const checkOrphans: Check = async ({ database }) => {
  const answers = await database.batch(POINTERS.map(({ table, type, id }) => {
    const [typeOf, idOf] = [sql`pointer.${sql.identifier(type)}`, sql`pointer.${sql.identifier(id)}`];
    return sql`SELECT ${typeOf} AS type, ${idOf} AS id FROM ${sql.identifier(table)} AS pointer
      WHERE ${typeOf} IS NOT NULL AND NOT ${present(typeOf, idOf)}`;
  }));
  const wrong = POINTERS.flatMap(({ table }, index) =>
    (answers[index] ?? []).map(({ type, id }) => `${table} refers to ${type} ${id}`)
  );
  return toCheckResult("orphans", {
    wrong,
    ok: "Tags, assignments, endpoints and services refer to existing objects",
    problem: (count) => `${counted(count, "row")} ${count === 1 ? "refers" : "refer"} to missing objects`,
  });
};
