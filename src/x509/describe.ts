/** Describes all fields of a certificate as JSON data: the body of `GET certificates/{id}/details/`. */

import { createHash } from "node:crypto";
import { formatDatetime } from "../base/clock.ts";
import { colonHex, colonHexOf, inventoryFields, sanText } from "./inventory.ts";
import { POLICY_NAMES } from "./oids.ts";
import type { AccessDescription, Certificate, DistinguishedName, GeneralName } from "./types.ts";
import { type Warning, warningsOf } from "./findings.ts";

/** A distinguished name as text, and its attributes in order. */
export interface NameDescription {
  readonly text: string;
  readonly attributes: readonly { readonly name: string; readonly oid: string; readonly value: string }[];
}

/** Result of {@link describeCertificate}. Absent values are null or an empty list. */
export interface CertificateDescription {
  readonly version: number;
  readonly common_name: string;
  readonly serial_number: string;
  readonly subject: NameDescription;
  readonly issuer: NameDescription;
  /** `2026-11-20T09:22:19Z` */
  readonly valid_from: string;
  readonly valid_to: string;
  readonly public_key: {
    readonly algorithm: string;
    readonly name: string;
    readonly oid: string;
    readonly key_size: number | null;
    readonly curve: string | null;
    /** SHA-256 over the SubjectPublicKeyInfo. */
    readonly fingerprint_sha256: string;
  };
  readonly signature_algorithm: { readonly name: string; readonly oid: string };
  readonly fingerprints: { readonly sha256: string; readonly sha1: string };
  readonly sans: readonly string[];
  /** The same names by kind: `dns`, `ip`, `email`, … */
  readonly sans_by_kind: Readonly<Record<string, readonly string[]>>;
  readonly basic_constraints: { readonly ca: boolean; readonly path_length: number | null } | null;
  readonly key_usage: readonly string[] | null;
  readonly extended_key_usage: readonly string[] | null;
  readonly name_constraints:
    | { readonly permitted: readonly string[]; readonly excluded: readonly string[] }
    | null;
  readonly subject_key_id: string | null;
  readonly authority_key_id: string | null;
  readonly certificate_policies: readonly {
    readonly oid: string;
    readonly name: string;
    readonly qualifiers: readonly string[];
  }[];
  readonly policy_constraints: {
    readonly require_explicit_policy: number | null;
    readonly inhibit_policy_mapping: number | null;
    readonly inhibit_any_policy: number | null;
  };
  readonly authority_info_access: readonly { readonly method: string; readonly location: string }[];
  readonly subject_info_access: readonly { readonly method: string; readonly location: string }[];
  readonly crl_distribution_points: readonly string[];
  readonly signed_certificate_timestamps: number;
  /** RFC 7633: the server must staple an OCSP response. */
  readonly must_staple: boolean;
  readonly extensions: readonly {
    readonly oid: string;
    readonly name: string;
    readonly critical: boolean;
    /** Size of the content in bytes. */
    readonly size: number;
    readonly malformed: string | null;
    readonly duplicate: boolean;
  }[];
  readonly warnings: readonly Warning[];
}

/** TLS feature number of status_request. */
const STATUS_REQUEST = 5;

export function describeCertificate(certificate: Certificate): CertificateDescription {
  const { validity, subject, subjectAltNames, basicConstraints, nameConstraints } = certificate;
  return {
    version: certificate.version,
    common_name: inventoryFields(certificate).common_name,
    serial_number: colonHex(certificate.serial),
    subject: describeName(subject),
    issuer: describeName(certificate.issuer),
    valid_from: formatDatetime(validity.notBefore),
    valid_to: formatDatetime(validity.notAfter),
    ...describeKeys(certificate),
    sans: subjectAltNames.map(sanText),
    sans_by_kind: byKind(subjectAltNames),
    basic_constraints: basicConstraints === undefined
      ? null
      : { ca: basicConstraints.ca, path_length: basicConstraints.pathLength ?? null },
    key_usage: certificate.keyUsage ?? null,
    extended_key_usage: certificate.extendedKeyUsage ?? null,
    name_constraints: nameConstraints === undefined ? null : {
      permitted: nameConstraints.permitted.map(({ base }) => sanText(base)),
      excluded: nameConstraints.excluded.map(({ base }) => sanText(base)),
    },
    ...describePolicies(certificate),
    authority_info_access: (certificate.authorityInfoAccess ?? []).map(describeAccess),
    subject_info_access: (certificate.subjectInfoAccess ?? []).map(describeAccess),
    crl_distribution_points: (certificate.crlDistributionPoints ?? []).flatMap(({ names }) =>
      names.map(sanText)
    ),
    signed_certificate_timestamps: certificate.signedTimestamps ?? 0,
    must_staple: certificate.tlsFeatures?.includes(STATUS_REQUEST) ?? false,
    extensions: certificate.extensions.map(({ oid, name, critical, size, malformed, duplicate }) => ({
      oid,
      name,
      critical,
      size,
      malformed: malformed ?? null,
      duplicate: duplicate ?? false,
    })),
    warnings: warningsOf(certificate),
  };
}

function describeName({ text, rdns }: DistinguishedName): NameDescription {
  return { text, attributes: rdns.flat().map(({ name, oid, value }) => ({ name, oid, value })) };
}

type KeyDescription = Pick<
  CertificateDescription,
  "public_key" | "signature_algorithm" | "fingerprints" | "subject_key_id" | "authority_key_id"
>;

function describeKeys(certificate: Certificate): KeyDescription {
  const { publicKey, signatureAlgorithm, subjectKeyId, authorityKeyId } = certificate;
  return {
    public_key: {
      algorithm: publicKey.algorithm,
      name: publicKey.name,
      oid: publicKey.oid,
      key_size: publicKey.sizeBits ?? null,
      curve: publicKey.curve ?? null,
      fingerprint_sha256: colonHex(createHash("sha256").update(publicKey.spki).digest()),
    },
    signature_algorithm: { name: signatureAlgorithm.name, oid: signatureAlgorithm.oid },
    fingerprints: {
      sha256: colonHexOf(certificate.fingerprintSha256),
      sha1: colonHexOf(certificate.fingerprintSha1),
    },
    subject_key_id: subjectKeyId === undefined ? null : colonHex(subjectKeyId),
    authority_key_id: authorityKeyId === undefined ? null : colonHex(authorityKeyId),
  };
}

function describePolicies(
  { certificatePolicies = [], policyConstraints, inhibitAnyPolicy }: Certificate,
): Pick<CertificateDescription, "certificate_policies" | "policy_constraints"> {
  return {
    certificate_policies: certificatePolicies.map(({ oid, qualifiers }) => ({
      oid,
      name: POLICY_NAMES[oid] ?? oid,
      qualifiers,
    })),
    policy_constraints: {
      require_explicit_policy: policyConstraints?.requireExplicitPolicy ?? null,
      inhibit_policy_mapping: policyConstraints?.inhibitPolicyMapping ?? null,
      inhibit_any_policy: inhibitAnyPolicy ?? null,
    },
  };
}

function describeAccess({ method, location }: AccessDescription): { method: string; location: string } {
  return { method, location: sanText(location) };
}

function byKind(names: readonly GeneralName[]): Record<string, string[]> {
  const kinds: Record<string, string[]> = {};
  for (const { kind, value } of names) (kinds[kind] ??= []).push(value);
  return kinds;
}
