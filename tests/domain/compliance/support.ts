/** Shared helpers of the tests of compliance. */

import { sql } from "drizzle-orm";
import { type Context, OBJECT_TYPES } from "../../../src/auth/mod.ts";
import type { Database } from "../../../src/db/mod.ts";
import { policies } from "../../../src/domain/compliance/mod.ts";
import { createObject } from "../../../src/resource/mod.ts";
import { type Actor, granted } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";

export const POLICY = "certmgr.compliancepolicy";
export const CHECK = "certmgr.compliancecheck";
export const CERTIFICATE = "certmgr.certificate";
export const BULK = `${PATHS.certificates}bulk-compliance-check/`;
export const REPORT = "/api/plugins/certmgr/compliance-report/";

/** Deletes the seeded policies and results. */
export async function clear({ database }: { database: Database }): Promise<void> {
  await database.write((tx) => tx.run(sql`DELETE FROM compliance_policies`));
}

/** Creates policies as the service, and returns their ids. */
export async function makePolicies(
  { ctx }: { ctx: Context },
  bodies: readonly Record<string, unknown>[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const [index, body] of bodies.entries()) {
    const made = await createObject({ ctx, resource: policies, input: { name: `P${index}`, ...body } });
    ids.push(made.id as number);
  }
  return ids;
}

/** All ten types, with their defaults. */
export const TEN: readonly Record<string, unknown>[] = [
  { policy_type: "min_key_size", severity: "critical" },
  { policy_type: "max_validity_days" },
  { policy_type: "algorithm_allowed", parameters: { algorithms: ["rsa", "ecdsa"] } },
  { policy_type: "algorithm_forbidden", parameters: { algorithms: ["unknown"] }, severity: "critical" },
  { policy_type: "expiry_warning" },
  { policy_type: "chain_required", severity: "info" },
  { policy_type: "san_required" },
  { policy_type: "wildcard_forbidden" },
  { policy_type: "issuer_allowed", parameters: { issuers: ["Acme"] }, severity: "info" },
  { policy_type: "issuer_forbidden", parameters: { issuers: ["STAGING"] } },
];

/** Returns a user who may run all policies on all certificates that they may view. */
export function runner(options: { tenant?: string; bulk?: boolean; policies?: unknown } = {}): Actor {
  return granted([
    {
      types: [CERTIFICATE],
      actions: ["view"],
      constraints: options.tenant === undefined ? null : { tenant__slug: options.tenant },
    },
    ...(options.bulk ? [{ types: [CERTIFICATE], actions: ["bulk_operations"] }] : []),
    { types: [POLICY], actions: ["manage_compliance"], constraints: options.policies ?? null },
  ]);
}

/** Returns a user who may view results and everything else, but certificates only of one tenant. */
export function viewerOf(tenant: string): Actor {
  const others = OBJECT_TYPES.filter((type) => type !== CERTIFICATE);
  return granted([
    { types: others, actions: ["view"] },
    { types: [CERTIFICATE], actions: ["view"], constraints: { tenant__slug: tenant } },
  ]);
}
