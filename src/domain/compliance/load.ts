/** Loads the certificates and policies of a run. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { andAll, idsIn, readBatch, type Reader, type RowOf, where } from "../../db/mod.ts";
import { type Condition, matchesNothing } from "../../filters/mod.ts";
import type { Kind } from "../../x509/mod.ts";
import { type CertificateRow, certificates, hasIssuerChain, readFindings } from "../certificates/mod.ts";
import type { EvaluatedCertificate, Policy } from "./evaluate.ts";
import { policies } from "./policies.ts";
import type { compliance_policies } from "../../db/schema/mod.ts";

/** A certificate with its raw columns, for its brief form. */
export type LoadedCertificate = EvaluatedCertificate & { readonly row: FactsRow };
/** A policy with its raw columns, for its brief form. */
export type LoadedPolicy = Policy & { readonly row: PolicyRow };

/** The columns that policies examine. */
type FactsRow = CertificateRow & {
  readonly kind: Kind;
  readonly tag_ids: string;
  readonly has_chain: number;
};
type PolicyRow = RowOf<typeof compliance_policies> & { readonly tag_ids: string };

/** The ids of a run, and the conditions that apply to the caller. */
export interface RunRequest {
  readonly certificateIds: readonly number[];
  readonly seen: Condition;
  /** Undefined for all enabled ones. */
  readonly policyIds: readonly number[] | undefined;
  readonly allowed: Condition;
}

/**
 * Loads the certificates that the caller may check, by id, and the policies. Two statements in one round
 * trip. Errors: invalid, with each policy that does not exist or is hidden from the caller.
 */
export async function loadRun(
  { ctx, reader }: { ctx: Context; reader: Reader },
  request: RunRequest,
): Promise<{ subjects: Map<number, LoadedCertificate>; rules: LoadedPolicy[] }> {
  const [certificateRows, policyRows] = await readBatch(reader, [
    certificatesSql(ctx, request),
    policiesSql(ctx, request),
  ]);
  const rules = policyRows.map(policyOf);
  const found = new Set(rules.map(({ id }) => id));
  const missing = request.policyIds?.filter((id) => !found.has(id)) ?? [];
  if (missing.length > 0) {
    throw invalid({ policy_ids: missing.map((id) => `No compliance policy with the id ${id} was found.`) });
  }
  return { subjects: new Map(certificateRows.map((row) => [row.id, certificateOf(row)])), rules };
}

/**
 * Loads the enabled policies that the caller may view, in the order of their ids. One statement; none without any
 * permission.
 */
export async function loadVisiblePolicies(ctx: Context): Promise<LoadedPolicy[]> {
  const allowed = visible(ctx, policies.map);
  if (matchesNothing(allowed)) return [];
  const rows = await ctx.database.all<PolicyRow>(policiesSql(ctx, { policyIds: undefined, allowed }));
  return rows.map(policyOf);
}

function certificatesSql(ctx: Context, { certificateIds, seen }: RunRequest): SQL<FactsRow> {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(certificateIds)}`,
    restrictionSql(ctx, seen, { map: certificates.map }),
  );
  return sql<
    FactsRow
  >`SELECT id, common_name, serial_number, status, issuer, subject, algorithm, key_size, kind, key_algorithm,
      signature_algorithm, valid_from, valid_to,
      sans, tenant_id, chain_status, findings, ${tagIds(certificates.objectType, "certificates")},
      ${hasIssuerChain(sql`certificates.id`)} AS has_chain
    FROM certificates${where(condition)}`;
}

function policiesSql(
  ctx: Context,
  { policyIds, allowed }: Pick<RunRequest, "policyIds" | "allowed">,
): SQL<PolicyRow> {
  const condition = andAll(
    policyIds === undefined
      ? sql`compliance_policies.enabled = 1`
      : sql`compliance_policies.id IN ${idsIn(policyIds)}`,
    restrictionSql(ctx, allowed, { map: policies.map }),
  );
  return sql<PolicyRow>`SELECT id, name, policy_type, severity, parameters, tenant_id, kinds,
      ${tagIds(policies.objectType, "compliance_policies")}
    FROM compliance_policies${where(condition)} ORDER BY id`;
}

function tagIds(objectType: string, table: string): SQL {
  return sql`(SELECT json_group_array(tag_id) FROM tagged_items
    WHERE object_type = ${objectType} AND object_id = ${sql.identifier(table)}.id) AS tag_ids`;
}

function certificateOf(row: FactsRow): LoadedCertificate {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tagIds: JSON.parse(row.tag_ids),
    kind: row.kind,
    row,
    facts: {
      commonName: row.common_name,
      sans: JSON.parse(row.sans),
      issuer: row.issuer,
      subject: row.subject,
      algorithm: row.algorithm,
      keySize: row.key_size,
      keyAlgorithm: row.key_algorithm,
      signatureAlgorithm: row.signature_algorithm,
      validFrom: row.valid_from,
      validTo: row.valid_to,
      hasChain: row.has_chain === 1,
      chainStatus: row.chain_status,
      findings: readFindings(row.findings),
    },
  };
}

function policyOf(row: PolicyRow): LoadedPolicy {
  return {
    id: row.id,
    type: row.policy_type,
    severity: row.severity,
    parameters: JSON.parse(row.parameters),
    tenantId: row.tenant_id,
    tagIds: JSON.parse(row.tag_ids),
    kinds: JSON.parse(row.kinds),
    row,
  };
}
