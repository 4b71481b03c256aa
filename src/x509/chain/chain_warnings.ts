/** Warnings about a path: conditions that do not make it invalid. */

import { sectionOf } from "../findings.ts";
import { KEY_PURPOSE_NAMES } from "../oids.ts";
import type { Certificate } from "../types.ts";
import type { PoolCertificate } from "./certificate_pool.ts";
import { MALFORMED_FIELDS } from "./rules/mod.ts";

/** A warning about one certificate of a path; position 1 is the leaf. */
export interface ChainWarning {
  readonly code: string;
  readonly position: number;
  readonly sentence: string;
  readonly citation: string;
}

type WarningCheck = (
  certificate: Certificate,
  place: { isLeaf: boolean; isTop: boolean; leaf: Certificate },
) =>
  | Omit<ChainWarning, "position">
  | undefined;

/** Minimum key sizes in bits (NIST SP 800-57 part 1, 5.6.1: 112 bits of security). */
const MIN_RSA_BITS = 2_048;
const MIN_EC_BITS = 224;
const AUTHORITY_KEY_ID = "2.5.29.35";
const SUBJECT_KEY_ID = "2.5.29.14";
const ANY_PURPOSE = KEY_PURPOSE_NAMES["2.5.29.37.0"];
/** Findings of the reader that make a path fail, so they are not also warnings. */
const REPORTED_AS_FAILURES: ReadonlySet<string> = new Set([
  "malformed_extension",
  "duplicate_extension",
  ...MALFORMED_FIELDS,
]);

const WARNING_CHECKS: readonly WarningCheck[] = [
  ({ authorityKeyId }, { isTop }) =>
    authorityKeyId === undefined && !isTop
      ? { code: "aki_missing", sentence: "has no authorityKeyIdentifier", citation: "RFC 5280 §4.2.1.1" }
      : undefined,
  ({ subjectKeyId }, { isLeaf }) =>
    subjectKeyId === undefined && !isLeaf
      ? { code: "ski_missing", sentence: "has no subjectKeyIdentifier", citation: "RFC 5280 §4.2.1.2" }
      : undefined,
  (certificate) =>
    isCritical(certificate, AUTHORITY_KEY_ID)
      ? {
        code: "aki_critical",
        sentence: "has a critical authorityKeyIdentifier",
        citation: "RFC 5280 §4.2.1.1",
      }
      : undefined,
  (certificate) =>
    isCritical(certificate, SUBJECT_KEY_ID)
      ? {
        code: "ski_critical",
        sentence: "has a critical subjectKeyIdentifier",
        citation: "RFC 5280 §4.2.1.2",
      }
      : undefined,
  ({ signatureAlgorithm: { name } }, { isTop }) =>
    !isTop && /md[245]|sha-?1(?!\d)/i.test(name)
      ? { code: "weak_signature", sentence: `is signed with ${name}`, citation: "RFC 6194 §3, RFC 6151 §2" }
      : undefined,
  ({ publicKey: { algorithm, name, sizeBits } }) =>
    sizeBits !== undefined && sizeBits < leastBits(algorithm)
      ? {
        code: "short_key",
        sentence: `has a short key: ${name} of ${sizeBits} bits`,
        citation: "NIST SP 800-57 part 1, 5.6.1",
      }
      : undefined,
  ({ extendedKeyUsage }, { isLeaf, leaf }) =>
    !isLeaf && extendedKeyUsage !== undefined && !allowsPurposes(extendedKeyUsage, leaf.extendedKeyUsage)
      ? {
        code: "extended_key_usage",
        sentence: "does not allow the leaf's extended key usages",
        citation: "RFC 5280 §4.2.1.12",
      }
      : undefined,
  ({ basicConstraints }, { isLeaf }) =>
    isLeaf && basicConstraints?.ca === true
      ? { code: "ca_as_leaf", sentence: "is a CA used as a leaf", citation: "RFC 5280 §4.2.1.9" }
      : undefined,
];

/** Returns the warnings about a path, leaf first. */
export function chainWarnings(members: readonly PoolCertificate[]): ChainWarning[] {
  const leaf = members[0]!.certificate;
  return members.flatMap(({ certificate, selfIssued }, index) => {
    const position = index + 1;
    const place = { isLeaf: index === 0, isTop: selfIssued && position === members.length, leaf };
    const looks = WARNING_CHECKS.flatMap((look) => look(certificate, place) ?? []).map((found) => ({
      ...found,
      position,
    }));
    const read = certificate.findings.filter(({ code }) => !REPORTED_AS_FAILURES.has(code))
      .map(({ code, message }): ChainWarning => ({
        code,
        position,
        sentence: `has a defect: ${message}`,
        citation: sectionOf(code),
      }));
    return [...looks, ...read];
  });
}

function isCritical({ extensions }: Certificate, oid: string): boolean {
  return extensions.some((extension) => extension.oid === oid && extension.critical);
}

function leastBits(algorithm: Certificate["publicKey"]["algorithm"]): number {
  return algorithm === "rsa" ? MIN_RSA_BITS : algorithm === "ecdsa" ? MIN_EC_BITS : 0;
}

function allowsPurposes(allowed: readonly string[], required: readonly string[] | undefined): boolean {
  if (required === undefined || allowed.includes(ANY_PURPOSE ?? "")) return true;
  return required.every((purpose) => allowed.includes(purpose));
}
