/** Reads a file with a successor: PEM, DER or PKCS#7, with or without its chain, in any order. */

import { invalidField } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { type Certificate, encodePem, readingCertificates, searchingKey } from "../../../x509/mod.ts";

/**
 * Returns the PEM of the only certificate that issued no other in the file, followed by the others. Errors:
 * invalid (`file`).
 */
export async function successorPem(content: Uint8Array): Promise<string> {
  const all = await readAll(content);
  const issuers = new Set(all.map(({ issuer }) => issuer.key));
  const leaves = all.filter(({ subject }) => !issuers.has(subject.key));
  const [leaf, other] = leaves.length === 0 ? all : leaves;
  if (leaf === undefined) throw invalidField("file", "file_without_certificate");
  if (other !== undefined) {
    throw invalidField("file", "several_certificates", { count: Math.max(leaves.length, 2) });
  }
  return [leaf, ...all.filter((one) => one !== leaf)].map(({ der }) => encodePem(der)).join("");
}

/** Reads all certificates of a file. Errors: invalid (`file`). */
async function readAll(content: Uint8Array): Promise<Certificate[]> {
  const pause = pacer();
  if (await inSlices(searchingKey(content), pause)) throw invalidField("file", "private_key");
  const { members, findings } = await inSlices(readingCertificates(content), pause);
  const [finding] = findings;
  if (finding !== undefined) throw invalidField("file", "file_unreadable", { reason: finding.message });
  return members.map(({ certificate }) => certificate);
}
