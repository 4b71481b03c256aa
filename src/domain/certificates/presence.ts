/** Filters by whether related rows exist. */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../db/mod.ts";
import {
  columnOf,
  type FilterField,
  type PredicateContext,
  type ViewRestriction,
} from "../../filters/mod.ts";
import { isFollowed } from "../contacts/mod.ts";

/** The type of assignments, which cannot be imported here because they refer to certificates. */
export const ASSIGNMENT = "certmgr.certificateassignment";

/** Restricts assignments to those that constraints follow. */
const followed: ViewRestriction = (target, alias) => target === ASSIGNMENT ? isFollowed(alias) : undefined;

/** Returns a filter that is true or false for each row. */
export function presence(
  condition: (context: PredicateContext) => SQL,
  { description }: { description?: string } = {},
): FilterField {
  return {
    kind: "predicate",
    type: "boolean",
    ...(description === undefined ? {} : { description }),
    condition: (value, context) => {
      const own = condition(context.isConstraint ? { ...context, shown: followed } : context);
      return value ? own : sql`NOT (${own})`;
    },
  };
}

/** Returns the condition that a row of another table exists that fulfils all conditions. */
export function existing(table: SQL, alias: string, ...conditions: readonly (SQL | undefined)[]): SQL {
  return sql`EXISTS (SELECT 1 FROM ${table} AS ${sql.identifier(alias)}${where(...conditions)})`;
}

/**
 * Returns the condition that the service found a certificate and nobody has accepted it: it is pending, or expired while
 * it was. It reserves no serial number and issuer, because anyone can make the service find a forged certificate.
 */
export function isProvisional(alias: string): SQL {
  return sql`(${columnOf(alias, "discovered_via")} <> '' AND 'pending' IN (${columnOf(alias, "status")}, ${
    columnOf(alias, "expired_from")
  }))`;
}
