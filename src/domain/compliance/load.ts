/** Loads the certificates and policies of a run. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, restrictionSql, visible } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { andAll, idsIn, type Reader, type Row, where } from "../../db/mod.ts";
import { type Condition, matchesNothing } from "../../filters/mod.ts";
import type { Kind } from "../../x509/mod.ts";
import { certificates, hasIssuerChain, readFindings } from "../certificates/mod.ts";
import type { EvaluatedCertificate, Policy } from "./evaluate.ts";
import { policies } from "./policies.ts";

/** A certificate with its raw columns, for its brief form. */
export type LoadedCertificate = EvaluatedCertificate & { readonly row: Row };
/** A policy with its raw columns, for its brief form. */
export type LoadedPolicy = Policy & { readonly row: Row };

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
  const [certificateRows, policyRows] = await reader.batch([
    certificatesSql(ctx, request),
    policiesSql(ctx, request),
  ]) as [Row[], Row[]];
  const rules = policyRows.map(policyOf);
  const found = new Set(rules.map(({ id }) => id));
  const missing = request.policyIds?.filter((id) => !found.has(id)) ?? [];
  if (missing.length > 0) {
    throw invalid({ policy_ids: missing.map((id) => `No compliance policy with the id ${id} was found.`) });
  }
  return { subjects: new Map(certificateRows.map((row) => [row.id as number, certificateOf(row)])), rules };
}

/**
 * Loads the enabled policies that the caller may view, in the order of their ids. One statement; none without any
 * permission.
 */
export async function loadVisiblePolicies(ctx: Context): Promise<LoadedPolicy[]> {
  const allowed = visible(ctx, policies.map);
  if (matchesNothing(allowed)) return [];
  const rows = await ctx.database.all<Row>(policiesSql(ctx, { policyIds: undefined, allowed }));
  return rows.map(policyOf);
}

function certificatesSql(ctx: Context, { certificateIds, seen }: RunRequest): SQL {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(certificateIds)}`,
    restrictionSql(ctx, seen, { map: certificates.map }),
  );
  return sql`SELECT id, common_name, serial_number, status, issuer, subject, algorithm, key_size, kind, key_algorithm,
      signature_algorithm, valid_from, valid_to,
      sans, tenant_id, chain_status, findings, ${tagIds(certificates.objectType, "certificates")},
      ${hasIssuerChain(sql`certificates.id`)} AS has_chain
    FROM certificates${where(condition)}`;
}

function policiesSql(ctx: Context, { policyIds, allowed }: Pick<RunRequest, "policyIds" | "allowed">): SQL {
  const condition = andAll(
    policyIds === undefined
      ? sql`compliance_policies.enabled = 1`
      : sql`compliance_policies.id IN ${idsIn(policyIds)}`,
    restrictionSql(ctx, allowed, { map: policies.map }),
  );
  return sql`SELECT id, name, policy_type, severity, parameters, tenant_id, kinds,
      ${tagIds(policies.objectType, "compliance_policies")}
    FROM compliance_policies${where(condition)} ORDER BY id`;
}

function tagIds(objectType: string, table: string): SQL {
  return sql`(SELECT json_group_array(tag_id) FROM tagged_items
    WHERE object_type = ${objectType} AND object_id = ${sql.identifier(table)}.id) AS tag_ids`;
}

function certificateOf(row: Row): LoadedCertificate {
  return {
    id: row.id as number,
    tenantId: row.tenant_id as number | null,
    tagIds: JSON.parse(row.tag_ids as string),
    kind: row.kind as Kind,
    row,
    facts: {
      commonName: row.common_name as string,
      sans: JSON.parse(row.sans as string),
      issuer: row.issuer as string,
      subject: row.subject as string,
      algorithm: row.algorithm as string,
      keySize: row.key_size as number | null,
      keyAlgorithm: row.key_algorithm as string,
      signatureAlgorithm: row.signature_algorithm as string,
      validFrom: row.valid_from as number,
      validTo: row.valid_to as number,
      hasChain: row.has_chain === 1,
      chainStatus: row.chain_status as string | null,
      findings: readFindings(row.findings),
    },
  };
}

function policyOf(row: Row): LoadedPolicy {
  return {
    id: row.id as number,
    type: row.policy_type as string,
    severity: row.severity as string,
    parameters: JSON.parse(row.parameters as string),
    tenantId: row.tenant_id as number | null,
    tagIds: JSON.parse(row.tag_ids as string),
    kinds: JSON.parse(row.kinds as string),
    row,
  };
}
