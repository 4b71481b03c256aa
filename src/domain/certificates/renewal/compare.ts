/** What to know about a successor before or after a renewal: its fields, its chain, and the incidents that demand it. */

import type { Context } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { inSlices } from "../../../base/pace.ts";
import { type Certificate, readingCertificates } from "../../../x509/mod.ts";
import { openIncidents } from "../../incidents/mod.ts";
import { validateStored } from "../chain/validate_stored.ts";
import {
  type Certificate as InventoryCertificate,
  type ComparedCertificate,
  isIssuedByName,
  type RenewalWarning,
  renewalWarnings,
} from "../mod.ts";

/** A certificate as `renewCertificate` returns it; one that is not stored has no id. */
type Shown = Partial<Omit<InventoryCertificate, "id" | "url">> & { readonly id: number | null };

/** Compares a certificate with its successor. At most four statements. */
export async function compareRenewal(
  ctx: Context,
  { old, new: successor }: { readonly old: Shown; readonly new: Shown },
): Promise<RenewalWarning[]> {
  const [before, after] = await Promise.all([comparedOf(old), comparedOf(successor)]);
  const lacks = old.issuer_chain !== "" && successor.issuer_chain === "" && !after.is_self_issued;
  const faults = await invalidChain(ctx, old, successor);
  return [
    ...renewalWarnings(before, after),
    ...faults.length === 0 && lacks ? [{ code: "no_chain" } as const] : faults,
    ...await inIncident(ctx, successor.id),
  ];
}

async function invalidChain(
  ctx: Context,
  old: Shown,
  { pem_content, issuer_chain }: Shown,
): Promise<RenewalWarning[]> {
  if (old.chain_status !== "valid" || !pem_content) return [];
  const texts = { pem_content, issuer_chain: issuer_chain ?? "" };
  const [result] = await validateStored(ctx, [texts], { at: ctx.clock.now() });
  if (result === undefined || result.isValid) return [];
  return [{ code: "invalid_chain", status: result.status, message: result.message }];
}

async function inIncident(ctx: Context, id: number | null): Promise<RenewalWarning[]> {
  if (id === null) return [];
  const found = (await openIncidents(ctx, [id])).get(id)?.find(({ state }) => state === "open");
  return found === undefined ? [] : [{ code: "in_incident", incident: { id: found.id, name: found.name } }];
}

async function comparedOf(row: Shown): Promise<ComparedCertificate> {
  const certificate = typeof row.pem_content === "string" ? await readFirst(row.pem_content) : undefined;
  return {
    issuer: String(row.issuer),
    valid_from: String(row.valid_from),
    valid_to: String(row.valid_to),
    algorithm: row.algorithm,
    key_size: row.key_size,
    is_expired: row.is_expired === true,
    is_self_issued: certificate === undefined
      ? isIssuedByName(String(row.common_name), String(row.issuer))
      : certificate.subject.key === certificate.issuer.key,
    spki_sha256: certificate === undefined ? undefined : sha256Hex(certificate.publicKey.spki),
  };
}

async function readFirst(pem: string): Promise<Certificate | undefined> {
  return pem === "" ? undefined : (await inSlices(readingCertificates(pem))).members[0]?.certificate;
}
