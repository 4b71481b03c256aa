/**
 * Counts the certificates of a list for each of several tenants, contacts, tags, or objects to which they are
 * assigned.
 */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { where } from "../../db/mod.ts";
import { columnOf, type Condition, type PredicateContext } from "../../filters/mod.ts";
import { listCondition } from "../../resource/mod.ts";
import { ownedBy } from "../contacts/mod.ts";
import { services } from "../inventory/mod.ts";
import { certificates } from "./resource.ts";

const ALIAS = "certificates";

type Scope = Pick<PredicateContext, "alias" | "shown">;
/** Returns a condition on certificates. `id` is an expression of the id of the object. */
type Belongs = (scope: Scope, id: SQL) => SQL;

/**
 * The conditions for the certificates of an object, by its type. Each is the same as the filter of that name.
 */
const CONDITIONS = {
  tenant: inColumn("tenant_id"),
  issuing_ca: inColumn("issuing_ca_id"),
  owner: ownedBy,
  tag: linked("tag"),
  device: linked("device"),
  virtual_machine: linked("virtual_machine"),
  service: linked("service"),
  services_of_device: throughServices("device"),
  services_of_virtual_machine: throughServices("virtual_machine"),
} satisfies Readonly<Record<string, Belongs>>;

/** The type of the objects for which certificates are counted. */
export type CountedBy = keyof typeof CONDITIONS;

/**
 * Returns how many certificates that match each of `filters` belong to each object, by its id. Certificates and
 * assignments that the caller may not view are not counted. The caller must already be allowed to view the
 * objects. One statement. Errors: forbidden.
 */
export async function countByObject(
  { ctx, by, ids, filters }: {
    ctx: Context;
    by: CountedBy;
    ids: readonly number[];
    filters: readonly Condition[];
  },
): Promise<ReadonlyMap<number, readonly number[]>> {
  const own = CONDITIONS[by]({ alias: ALIAS, shown: viewRestrictions(ctx) }, sql`object.value`);
  const counts = await Promise.all(filters.map(async (filter) => {
    const listed = await listCondition({ ctx, resource: certificates, filter });
    return sql`(SELECT count(*) FROM certificates${where(own, listed)})`;
  }));
  const rows = await ctx.database.all<{ id: number; counts: string }>(
    sql`SELECT object.value AS id, json_array(${sql.join(counts, sql`, `)}) AS counts
      FROM json_each(${JSON.stringify(ids)}) AS object`,
    { owner: ctx.actor.userId },
  );
  return new Map(rows.map(({ id, counts }) => [id, JSON.parse(counts)]));
}

/** Returns the condition that a column refers to the object. */
function inColumn(column: string): Belongs {
  return ({ alias }, id) => sql`${columnOf(alias, column)} = ${id}`;
}

/** Returns the condition that a link refers to the object. Links that the caller may not view are ignored. */
function linked(name: string): Belongs {
  return (scope, id) => linkedTo(scope, name, id);
}

/**
 * Returns the condition that a certificate is assigned to a service of the object, as `service__device_id` does.
 * Services that the caller may not view are ignored.
 */
function throughServices(parent: "device" | "virtual_machine"): Belongs {
  return (scope, id) => {
    const field = services.map.fields[parent];
    if (field?.kind !== "many") throw new Error(`Services have no parent "${parent}"`);
    const seen = scope.shown(services.map, getTableName(services.table));
    return linkedTo(scope, "service", sql`${field.ids(id)}${seen === undefined ? sql`` : sql` AND ${seen}`}`);
  };
}

/** Returns the condition that a link has one of the ids. */
function linkedTo({ alias, shown }: Scope, name: string, ids: SQL): SQL {
  const field = certificates.map.fields[name];
  if (field?.kind !== "many") throw new Error(`Certificates have no links "${name}"`);
  return sql`${columnOf(alias, "id")} IN (${field.ids(ids, shown)})`;
}
