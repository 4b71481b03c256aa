/** Stores certificates that the service found on servers or in files. */

import { type Certificate, encodePem } from "../../../x509/mod.ts";
import { draftsWithin } from "../../../resource/mod.ts";
import { storePlan, withIds } from "./import_rows.ts";
import { planRows } from "./plan.ts";
import type { CertificateCall } from "../mod.ts";

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
  for (const { place, draft } of plan.fresh) {
    const { tenantId, via, endpointId } = found[place] ?? {};
    Object.assign(draft.row, {
      tenant_id: tenantId,
      discovered_via: via,
      discovered_at_id: endpointId,
    });
  }
  let { fresh } = plan;
  if (finder !== call && fresh.length > 0) {
    const drafts = await withIds(call, fresh);
    const within = new Set(await draftsWithin({ ...call, ...finder }, drafts.map(({ draft }) => draft)));
    const places = new Set(drafts.filter(({ draft }) => within.has(draft)).map(({ place }) => place));
    fresh = fresh.filter(({ place }) => places.has(place));
  }
  const { created } = await storePlan(call, { ...plan, fresh });
  for (const { place, object } of created) {
    const { certificate } = found[place] ?? {};
    if (certificate !== undefined) ids.set(certificate.fingerprintSha256, object.id);
  }
  return ids;
}
