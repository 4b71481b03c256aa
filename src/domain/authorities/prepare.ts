/** Reads the PEM of an authority. Its key identifier and subject identify the certificates that it issued. */

import { sql } from "drizzle-orm";
import { type Draft, refuse, type WriteStep } from "../../resource/mod.ts";
import { encodePem, readCertificates } from "../../x509/mod.ts";
import { IS_WAITING, reopenChains } from "./waiting_chains.ts";

/**
 * Derives columns from the PEM, and has the chains below it validated again: it is an anchor, and their nearest authority
 * unless another one was given. One statement if a PEM is given, otherwise none.
 */
export async function prepareAuthorities({ tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) deriveFromPem(draft);
  const subjects = drafts.flatMap(({ row: { subject } }) =>
    typeof subject === "string" && subject !== "" ? [subject] : []
  );
  await reopenChains(
    tx,
    subjects,
    sql`(${IS_WAITING} OR waiting.issuing_ca_id IS NULL OR waiting.issuing_ca_found = 1)`,
  );
}

function deriveFromPem(draft: Draft): void {
  const { input, row } = draft;
  if (!("pem_content" in input)) return;
  Object.assign(row, { subject: null, subject_key_id: null, valid_to: null });
  if (input.pem_content === "" || draft.errors.pem_content !== undefined) return;
  const { members, findings } = readCertificates(String(input.pem_content));
  for (const { message, block, line } of findings) {
    const where = block === undefined ? "" : ` (block ${block}, line ${line})`;
    refuse(draft, "pem_content", `Invalid PEM format or unable to parse certificate: ${message}${where}.`);
  }
  const [member] = members;
  if (findings.length > 0 || member === undefined) return;
  if (members.length > 1) {
    refuse(
      draft,
      "pem_content",
      `Expected the authority's own certificate, not ${members.length} certificates.`,
    );
    return;
  }
  const { certificate } = member;
  // Stores only the certificate, without other text in the PEM.
  input.pem_content = encodePem(certificate.der);
  row.subject = certificate.subject.text;
  row.subject_key_id = certificate.subjectKeyId?.toHex() ?? null;
  row.valid_to = certificate.validity.notAfter;
}
