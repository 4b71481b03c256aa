/** Reads a file with a successor: PEM, DER or PKCS#7, with or without its chain, in any order. */

import { invalid } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { encodePem, PRIVATE_KEY_MESSAGE, readingCertificates, searchingKey } from "../../../x509/mod.ts";

/**
 * Returns the PEM of the only certificate that issued no other in the file, followed by the others. Errors:
 * invalid (`file`).
 */
export async function successorPem(content: Uint8Array): Promise<string> {
  const pause = pacer();
  if (await inSlices(searchingKey(content), pause)) throw refusal(PRIVATE_KEY_MESSAGE);
  const { members, findings } = await inSlices(readingCertificates(content), pause);
  const [finding] = findings;
  if (finding !== undefined) throw refusal(`Unable to read certificates from the file: ${finding.message}.`);
  const all = members.map(({ certificate }) => certificate);
  const issuers = new Set(all.map(({ issuer }) => issuer.key));
  const leaves = all.filter(({ subject }) => !issuers.has(subject.key));
  const [leaf, other] = leaves.length === 0 ? all : leaves;
  if (leaf === undefined) throw refusal("The file has no certificate. Choose PEM, DER or PKCS#7.");
  if (other !== undefined) {
    throw refusal(
      `The file has ${Math.max(leaves.length, 2)} certificates to choose from. Choose one with its chain.`,
    );
  }
  return [leaf, ...all.filter((one) => one !== leaf)].map(({ der }) => encodePem(der)).join("");
}

function refusal(message: string): Error {
  return invalid({ file: [message] });
}
