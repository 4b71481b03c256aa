/** Stores certificates that the service found on servers or in files. */

import { type Certificate, encodePem } from "../../../x509/mod.ts";
import { draftsWithin } from "../../../resource/mod.ts";
import type { CertificateCall } from "../mod.ts";
import { draftsWith, storePlan, withIds } from "./import_rows.ts";
import { planRows } from "./plan.ts";

/** A certificate that may be missing from the inventory. */
export interface FoundCertificate {
  readonly certificate: Certificate;
  /** The certificates that were sent with it, in DER. */
  readonly chain: readonly Uint8Array[];
  readonly tenantId: number | null;
  readonly status: "active" | "pending";
  /** Where it was found. */
  readonly via: string;
  /** The id of the endpoint, if it was found at one. */
  readonly endpointId: number | null;
}

const RULE = { onDuplicate: "skip", field: "pem_content", noun: "certificate" } as const;

/**
 * Stores the certificates that are missing from the inventory, in the caller's transaction. Returns the ids
 * of all of them by fingerprint, without those that cannot be stored, or that the rights of the finder exclude. The
 * number of statements does not depend on their number.
 */
export async function storeFound(
  call: CertificateCall,
  found: readonly FoundCertificate[],
  finder: Pick<CertificateCall, "ctx" | "allowed"> = call,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  if (found.length === 0) return ids;
  const rows = found.map(({ certificate, chain, status }, place) => ({
    place,
    body: {
      pem_content: encodePem(certificate.der),
      issuer_chain: chain.map((der) => encodePem(der)).join(""),
      status,
    },
    certificate,
    errors: {},
  }));
  const plan = await planRows(call, rows, RULE);
  for (const { place, draft } of draftsWith(plan, "create")) {
    const { tenantId, via, endpointId } = found[place] ?? {};
    Object.assign(draft.row, { tenant_id: tenantId, discovered_via: via, discovered_at_id: endpointId });
  }
  const drafts = finder === call ? [] : await withIds(call, plan);
  const within = new Set(await draftsWithin({ ...call, ...finder }, drafts.map(({ draft }) => draft)));
  const outside = new Set(drafts.filter(({ draft }) => !within.has(draft)).map(({ place }) => place));
  const kept = plan.rows.filter(({ place }) => !outside.has(place));
  for (const { place, status, id } of (await storePlan(call, { ...plan, rows: kept })).rows) {
    const { certificate } = found[place] ?? {};
    if (status !== "create" || certificate === undefined || id === undefined) continue;
    ids.set(certificate.fingerprintSha256, id);
  }
  return ids;
}
