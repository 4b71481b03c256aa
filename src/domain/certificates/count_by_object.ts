/** Counts the certificates of a list for each of several tenants, contacts, tags or objects that they are installed on. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { where } from "../../db/mod.ts";
import { columnOf, type Condition, type PredicateContext } from "../../filters/mod.ts";
import { listCondition } from "../../resource/mod.ts";
import { ownedBy } from "../contacts/mod.ts";
import { certificates } from "./resource.ts";

const ALIAS = "certificates";

type Scope = Pick<PredicateContext, "alias" | "shown">;
/** A condition of certificates that takes the id of the object from each row of a statement. */
type Owned = (scope: Scope, id: SQL) => SQL;

/** The certificates of one object, by its kind; each is the filter of that name. */
const OF = {
  tenant: inColumn("tenant_id"),
  issuing_ca: inColumn("issuing_ca_id"),
  owner: ownedBy,
  tag: linked("tag"),
  device: linked("device"),
  virtual_machine: linked("virtual_machine"),
  service: linked("service"),
} satisfies Readonly<Record<string, Owned>>;

/** How certificates belong to an object. */
export type Belonging = keyof typeof OF;

/**
 * Returns how many certificates that match `filter` belong to each object, by its id. Certificates and assignments that
 * the caller may not view are not counted; the objects are those that the caller has listed. One statement. Errors:
 * forbidden.
 */
export async function countByObject(
  { ctx, by, ids, filter }: { ctx: Context; by: Belonging; ids: readonly number[]; filter: Condition },
): Promise<ReadonlyMap<number, number>> {
  const listed = await listCondition({ ctx, resource: certificates, filter });
  const own = OF[by]({ alias: ALIAS, shown: viewRestrictions(ctx) }, sql`object.value`);
  const rows = await ctx.database.all<{ id: number; n: number }>(
    sql`SELECT object.value AS id, (SELECT count(*) FROM certificates${where(own, listed)}) AS n
      FROM json_each(${JSON.stringify(ids)}) AS object`,
    { owner: ctx.actor.userId },
  );
  return new Map(rows.map(({ id, n }) => [id, n]));
}

/** The object is that of a reference. */
function inColumn(column: string): Owned {
  return ({ alias }, id) => sql`${columnOf(alias, column)} = ${id}`;
}

/** The object is one of several; links that the caller may not view are left out. */
function linked(name: string): Owned {
  return ({ alias, shown }, id) => {
    const field = certificates.map.fields[name];
    if (field?.kind !== "many") throw new Error(`Certificates have no links "${name}"`);
    return sql`${columnOf(alias, "id")} IN (${field.ids(id, shown)})`;
  };
}
