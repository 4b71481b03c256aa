/** Reads a file with a successor: PEM, DER or PKCS#7, with or without its chain, in any order. */

import { invalid } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import {
  type Certificate,
  encodePem,
  inventoryFields,
  PRIVATE_KEY_MESSAGE,
  readingCertificates,
  searchingKey,
} from "../../../x509/mod.ts";
import { bySubject, issuersOf } from "../import/mod.ts";

/**
 * Returns the PEM of the only certificate that issued no other in the file, followed by the others. Errors:
 * invalid (`file`).
 */
export async function successorPem(content: Uint8Array): Promise<string> {
  const all = await readAll(content);
  const issuers = new Set(all.map(({ issuer }) => issuer.key));
  const leaves = all.filter(({ subject }) => !issuers.has(subject.key));
  const [leaf, other] = leaves.length === 0 ? all : leaves;
  if (leaf === undefined) throw refusal("The file has no certificate. Choose PEM, DER or PKCS#7.");
  if (other !== undefined) {
    throw refusal(
      `The file has ${Math.max(leaves.length, 2)} certificates to choose from. Choose one with its chain.`,
    );
  }
  return pemOf([leaf, ...all.filter((one) => one !== leaf)]);
}

/**
 * Returns the PEM of the certificate with a fingerprint, followed by its issuers, from a text with any certificates.
 * Errors: invalid (`file`).
 */
export async function chosenPem(text: string, fingerprint: string): Promise<string> {
  const all = await readAll(text);
  const leaf = all.find((one) => inventoryFields(one).fingerprint_sha256 === fingerprint);
  if (leaf === undefined) {
    throw refusal(`The text has no certificate with the fingerprint "${fingerprint.slice(0, MAX_QUOTED)}".`);
  }
  return pemOf([leaf, ...issuersOf(leaf, bySubject(all), all.length)]);
}

/** Reads all certificates of a text or file. Errors: invalid (`file`). */
async function readAll(content: string | Uint8Array): Promise<Certificate[]> {
  const pause = pacer();
  if (await inSlices(searchingKey(content), pause)) throw refusal(PRIVATE_KEY_MESSAGE);
  const { members, findings } = await inSlices(readingCertificates(content), pause);
  const [finding] = findings;
  if (finding !== undefined) throw refusal(`Unable to read certificates from the file: ${finding.message}.`);
  return members.map(({ certificate }) => certificate);
}

function pemOf(all: readonly Certificate[]): string {
  return all.map(({ der }) => encodePem(der)).join("");
}

/** Characters of a SHA-256 fingerprint with colons. */
const MAX_QUOTED = 95;

function refusal(message: string): Error {
  return invalid({ file: [message] });
}
