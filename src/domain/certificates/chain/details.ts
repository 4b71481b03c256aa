/** Describes all fields of a certificate's PEM: the response of `details/`. */

import { createHash } from "node:crypto";
import type { z } from "zod";
import { formatDatetime } from "../../../base/clock.ts";
import {
  type AccessDescription,
  type Certificate,
  colonHex,
  colonHexOf,
  type DistinguishedName,
  type GeneralName,
  inventoryFields,
  POLICY_NAMES,
  sanText,
  warningsOf,
} from "../../../x509/mod.ts";
import type { CertificateDetails } from "./responses.ts";

/** TLS feature number of status_request. */
const STATUS_REQUEST = 5;

type Details = z.infer<typeof CertificateDetails>;

/** Describes all fields of a certificate. */
export function describeCertificate(certificate: Certificate): Details {
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
    key_usage: certificate.keyUsage?.slice() ?? null,
    extended_key_usage: certificate.extendedKeyUsage?.slice() ?? null,
    name_constraints: nameConstraints === undefined ? null : {
      permitted: nameConstraints.permitted.map(sanText),
      excluded: nameConstraints.excluded.map(sanText),
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

function describeName({ text, rdns }: DistinguishedName): Details["subject"] {
  return { text, attributes: rdns.flat().map(({ name, oid, value }) => ({ name, oid, value })) };
}

function describeKeys(
  certificate: Certificate,
): Pick<
  Details,
  "public_key" | "signature_algorithm" | "fingerprints" | "subject_key_id" | "authority_key_id"
> {
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
): Pick<Details, "certificate_policies" | "policy_constraints"> {
  return {
    certificate_policies: certificatePolicies.map(({ oid, qualifiers }) => ({
      oid,
      name: POLICY_NAMES[oid] ?? oid,
      qualifiers: [...qualifiers],
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
