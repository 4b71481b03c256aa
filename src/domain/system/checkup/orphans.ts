/** Rows that point by type and id to an object that is not there: no foreign key guards them. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { resources } from "../../registry.ts";
import { type Check, counted, judged } from "./finding.ts";

/** Tables that point so, with their columns. */
const POINTERS = [
  { table: "tagged_items", type: "object_type", id: "object_id" },
  { table: "certificate_assignments", type: "assigned_object_type", id: "assigned_object_id" },
  { table: "services", type: "parent_object_type", id: "parent_object_id" },
] as const;

/** True where the object is there; a type that the service does not know has no objects. */
function present(type: SQL, id: SQL): SQL {
  const cases = resources.map((one) =>
    sql`WHEN ${one.objectType} THEN EXISTS (SELECT 1 FROM ${sql.identifier(getTableName(one.table))} AS target
      WHERE target.id = ${id})`
  );
  return sql`CASE ${type} ${sql.join(cases, sql` `)} ELSE 0 END`;
}

/** Tags of objects, assignments and services without the object that they point to. One statement a table. */
export const checkOrphans: Check = async ({ database }) => {
  const answers = await database.batch(POINTERS.map(({ table, type, id }) => {
    const [typeOf, idOf] = [sql`pointer.${sql.identifier(type)}`, sql`pointer.${sql.identifier(id)}`];
    return sql`SELECT ${typeOf} AS type, ${idOf} AS id FROM ${sql.identifier(table)} AS pointer
      WHERE ${typeOf} IS NOT NULL AND NOT ${present(typeOf, idOf)}`;
  }));
  const wrong = POINTERS.flatMap(({ table }, index) =>
    (answers[index] ?? []).map(({ type, id }) => `${table} points to ${type} ${id}`)
  );
  return judged("orphans", {
    wrong,
    well: "Tags, assignments and services point to objects that are there",
    ill: (count) => `${counted(count, "row")} point to objects that are not there`,
  });
};
