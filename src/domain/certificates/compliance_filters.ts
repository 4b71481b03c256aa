/** Filters for compliance: the certificates that count, and those without a current result. */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../db/mod.ts";
import type { FilterField, PredicateContext, ViewRestriction } from "../../filters/mod.ts";
import { columnOf } from "../../resource/mod.ts";
import { unarchived } from "./archive.ts";
import { existing, FROM_LIST, presence } from "./presence.ts";
import { assignedOrServedSql } from "./served.ts";

/** Types that cannot be imported here, because they refer to certificates. */
const CERTIFICATE = "certmgr.certificate";
const POLICY = "certmgr.compliancepolicy";
const CHECK = "certmgr.compliancecheck";

const IN_USE =
  "Is active or pending, or has no successor and has expired, or was revoked but is still assigned or served ";

/**
 * `in_use`; without a current result: `unchecked` by an enabled policy, `unchecked_by` the policy with this id.
 */
export const complianceFilters: Readonly<Record<string, FilterField>> = {
  in_use: presence(({ alias, shown }) => inUseSql(alias, shown), {
    description: IN_USE,
  }),
  unchecked: presence(
    (context) =>
      // Without this clause, statistics of a few policies make SQLite read all of them for each certificate.
      uncheckedSql(context, {
        selects: (policy) => sql`${columnOf(policy, "enabled")} = 1`,
        indexed: sql` INDEXED BY compliance_policies_enabled`,
      }),
    {
      description:
        "An enabled policy applies to it and has no result, or one that is older than the certificate or the policy",
    },
  ),
  unchecked_by: {
    kind: "predicate",
    type: "integer",
    description:
      "The policy with this id applies to it and has no result, or one that is older than the certificate or the policy",
    condition: (value, context) =>
      uncheckedSql(context, { selects: (policy) => sql`${columnOf(policy, "id")} = ${value}` }),
  },
};

/**
 * Returns the condition for certificates in use, which every number of certificates means: active and pending ones, and
 * those without a successor that have expired, or were revoked but are still assigned or served (see {@link assignedOrServedSql}).
 * Archived ones are not, unless they are pinned.
 */
export function inUseSql(alias: string, shown: ViewRestriction = () => undefined): SQL {
  const status = columnOf(alias, "status");
  const ended = `${alias}_ended`;
  // Looked up by id, so that an index of the status suffices for all other certificates. With further columns of
  // the outer row, SQLite would scan the table.
  const remaining = existing(
    sql`certificates`,
    ended,
    sql`${columnOf(ended, "id")} = ${columnOf(alias, "id")}`,
    sql`${columnOf(ended, "replaced_by_id")} IS NULL`,
    sql`(${columnOf(ended, "status")} = 'expired' OR ${assignedOrServedSql(ended, shown)})`,
  );
  return sql`(${status} IN ('active', 'pending', 'expired', 'revoked')
    AND (${status} IN ('active', 'pending') OR ${remaining}) AND ${unarchived(alias)})`;
}

/**
 * Returns the condition that one of the selected policies applies to a certificate and has no result for it, or one
 * that is older than the last change of the certificate or of the policy.
 */
function uncheckedSql(
  { alias, shown }: Pick<PredicateContext, "alias" | "shown">,
  { selects, indexed = sql`` }: { selects: (policy: string) => SQL; indexed?: SQL },
): SQL {
  const [policy, check] = [`${alias}_policy`, `${alias}_check`];
  const changed = (of: string): SQL => columnOf(of, "last_updated");
  const current = existing(
    sql`compliance_checks`,
    check,
    sql`${columnOf(check, "certificate_id")} = ${columnOf(alias, "id")}`,
    sql`${columnOf(check, "policy_id")} = ${columnOf(policy, "id")}`,
    sql`${columnOf(check, "checked_at")} >= max(${changed(alias)}, ${changed(policy)})`,
    shown(CHECK, check),
  );
  const open = where(selects(policy), applies(policy, alias), sql`NOT ${current}`, shown(POLICY, policy));
  return sql`EXISTS (SELECT 1 FROM compliance_policies AS ${sql.identifier(policy)}${indexed}${open})`;
}

/**
 * Returns the condition that a certificate is in the scope of a policy: its kind, its tenant, and one of its tags; too little is
 * known of one from a list. Runs decide this for loaded certificates, by the function of this name in `compliance/evaluate.ts`.
 */
function applies(policy: string, alias: string): SQL {
  const tenant = columnOf(policy, "tenant_id");
  const tags = sql`SELECT tag_id FROM tagged_items
    WHERE object_type = ${POLICY} AND object_id = ${columnOf(policy, "id")}`;
  const kind = sql`'"' || ${columnOf(alias, "kind")} || '"'`;
  return sql`instr(${columnOf(policy, "kinds")}, ${kind}) > 0 AND ${
    columnOf(alias, "discovered_via")
  } <> ${FROM_LIST} AND (${tenant} IS NULL OR ${tenant} = ${columnOf(alias, "tenant_id")})
    AND (NOT EXISTS (${tags}) OR EXISTS (SELECT 1 FROM tagged_items WHERE object_type = ${CERTIFICATE}
      AND object_id = ${columnOf(alias, "id")} AND tag_id IN (${tags})))`;
}
