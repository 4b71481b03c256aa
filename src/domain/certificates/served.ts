/**
 * Where a certificate is assigned and served, as far as the caller may view it: on objects that it is assigned to, and at
 * endpoints that serve it, with numbers and times of these.
 */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, isGranted, restrictionSql, visible } from "../../auth/mod.ts";
import { formatDatetime } from "../../base/clock.ts";
import { type Cell, where } from "../../db/mod.ts";
import {
  type FilterField,
  matchesNothing,
  type PredicateContext,
  type ViewRestriction,
} from "../../filters/mod.ts";
import { columnOf, expression, type Field, masked, type SelectContext, text } from "../../resource/mod.ts";
import { assignedSql, ASSIGNMENT, existing, presence } from "./presence.ts";

const ENDPOINT = { objectType: "certmgr.endpoint", table: "endpoints" };
const OBSERVATION = { objectType: "certmgr.observation", table: "observations" };

/** A table whose `certificate_id` refers to certificates. */
interface Related {
  readonly objectType: string;
  readonly table: string;
}

/**
 * Returns an aggregate over the rows of a certificate that the caller may view, or `none` if the caller may
 * view no rows.
 */
function overRows(
  { alias, ctx }: SelectContext,
  { objectType, table }: Related,
  { aggregate, none }: { aggregate: (inner: string) => SQL; none: SQL },
): SQL {
  const map = ctx.mapOf(objectType);
  const seen = visible(ctx, map);
  if (matchesNothing(seen)) return none;
  const inner = `${alias}_${table}`;
  const restricted = restrictionSql(ctx, seen, { map, alias: inner });
  return sql`(SELECT ${aggregate(inner)} FROM ${sql.identifier(table)} AS ${sql.identifier(inner)} WHERE ${
    columnOf(inner, "certificate_id")
  } = ${columnOf(alias, "id")}${restricted === undefined ? sql`` : sql` AND ${restricted}`})`;
}

/** Returns a field with a number of rows. */
export function rowCount<const Name extends string>(
  name: Name,
  description: string,
  related: Related,
): Field<Name, number> {
  return expression(name, {
    description,
    output: z.int(),
    sql: (context) => overRows(context, related, { aggregate: () => sql`count(*)`, none: sql`0` }),
  });
}

/** Returns a field with the earliest or latest time of observation. */
function seenAt<const Name extends "first_seen" | "last_seen">(
  name: Name,
  description: string,
): Field<Name, string | null> {
  const function_ = name === "first_seen" ? sql`min` : sql`max`;
  return expression(name, {
    description,
    output: z.iso.datetime().nullable(),
    sql: (context) =>
      overRows(context, OBSERVATION, {
        // Without the key, a server can present any certificate.
        aggregate: (inner) =>
          sql`${function_}(iif(${columnOf(inner, "possession")} = 'proven', ${columnOf(inner, name)}, NULL))`,
        none: sql`NULL`,
      }),
    decode: (cell: Cell) => cell === null ? null : formatDatetime(Number(cell)),
  });
}

export const SERVED_FIELDS = [
  rowCount("endpoint_count", "Endpoints that serve it and that the caller may view.", ENDPOINT),
  seenAt("first_seen", "When a server with its key was first observed to serve it; null if never."),
  seenAt("last_seen", "When a server with its key was last observed to serve it; null if never."),
  masked(
    text("discovered_via", {
      description:
        "Where the service found it (`endpoint www.example.com:443`); `list` if it is known from a list only, without its serial number, fingerprint or algorithm; empty if someone entered it, or if the caller may not view the endpoint.",
      readOnly: true,
      defaultOperator: "icontains",
    }),
    (alias, shown) => {
      const inner = `${alias}_found`;
      const seen = shown(ENDPOINT.objectType, inner);
      const [via, at] = ["discovered_via", "discovered_at_id"].map((name) => columnOf(alias, name));
      return seen && sql`iif(${at} IS NULL OR (SELECT ${seen} FROM endpoints AS ${sql.identifier(inner)}
      WHERE ${columnOf(inner, "id")} = ${at}), ${via}, '')`;
    },
  ),
];

/** What servers negotiate, as observations have it. */
const TLS_VERSIONS = ["TLS 1.3", "TLS 1.2", "TLS 1.1", "TLS 1.0", "SSL 3.0"] as const;

/** The filter of endpoints by the version that one of their addresses negotiated when it was last observed. */
export const tlsVersionFilter = {
  kind: "predicate",
  type: "choice",
  choices: TLS_VERSIONS,
  condition: (version: string, { alias }: Pick<PredicateContext, "alias">): SQL => {
    const [seen, later] = [`${alias}_seen`, `${alias}_later`];
    const newer = existing(
      sql`observations`,
      later,
      sql`${columnOf(later, "endpoint_id")} = ${columnOf(seen, "endpoint_id")}`,
      sql`${columnOf(later, "address")} = ${columnOf(seen, "address")}`,
      sql`${columnOf(later, "id")} > ${columnOf(seen, "id")}`,
    );
    const met = sql.join([
      sql`${columnOf(seen, "endpoint_id")} = ${columnOf(alias, "id")}`,
      sql`${columnOf(seen, "tls_version")} = ${version}`,
      sql`NOT ${newer}`,
    ], sql` AND `);
    // Otherwise SQLite scans all observations for each endpoint, where the statistics say that most have the same values.
    return sql`(SELECT 1 FROM observations AS ${sql.identifier(seen)} INDEXED BY observations_endpoint
      WHERE ${met} LIMIT 1) = 1`;
  },
} as const satisfies FilterField;

export const servedFilters: Readonly<Record<string, FilterField>> = {
  tls_version: {
    ...tlsVersionFilter,
    description: "An endpoint that serves it negotiated this version when it was last observed",
    condition: (version: string, { alias, shown }) => {
      const endpoint = `${alias}_endpoint`;
      return sql`${columnOf(alias, "id")} IN (SELECT ${
        columnOf(endpoint, "certificate_id")
      } FROM endpoints AS ${sql.identifier(endpoint)}${
        where(tlsVersionFilter.condition(version, { alias: endpoint }), shown(ENDPOINT.objectType, endpoint))
      })`;
    },
  },
  has_endpoints: presence(({ alias, shown }) => servedSql(alias, shown)),
  assigned_or_served: presence(({ alias, shown }) => assignedOrServedSql(alias, shown), {
    description: "Is assigned to an object, or an endpoint serves it",
  }),
};

/** Returns the condition that an endpoint served the certificate when a probe last read its certificate. */
function servedSql(alias: string, shown: ViewRestriction): SQL {
  const endpoint = `${alias}_endpoint`;
  const own = sql`${columnOf(endpoint, "certificate_id")} = ${columnOf(alias, "id")}`;
  return existing(sql`endpoints`, endpoint, own, shown(ENDPOINT.objectType, endpoint));
}

/** Returns whether the caller may view where any certificates are assigned or served. */
export function mayViewUses(ctx: Context): boolean {
  return [ASSIGNMENT, ENDPOINT.objectType].some((objectType) => isGranted(ctx, "view", objectType));
}

/** Returns the condition that a certificate is assigned to an object, or served at an endpoint. */
export function assignedOrServedSql(alias: string, shown: ViewRestriction): SQL {
  return sql`(${assignedSql(alias, shown)} OR ${servedSql(alias, shown)})`;
}
