/** Response of `details/`: all fields of a certificate's PEM. */

import { z } from "zod";

const texts = z.array(z.string());
const count = z.int().nullable();
const Name = z.object({
  text: z.string(),
  attributes: z.array(z.object({ name: z.string(), oid: z.string(), value: z.string() })),
});
const Access = z.array(z.object({ method: z.string(), location: z.string() }));

/** Absent fields are null or empty lists. */
export const CertificateDetails = z.object({
  version: z.int(),
  common_name: z.string(),
  serial_number: z.string(),
  subject: Name,
  issuer: Name,
  valid_from: z.string(),
  valid_to: z.string(),
  public_key: z.object({
    algorithm: z.string(),
    name: z.string(),
    oid: z.string(),
    key_size: count,
    curve: z.string().nullable(),
    fingerprint_sha256: z.string().describe("SHA-256 over the SubjectPublicKeyInfo."),
  }),
  signature_algorithm: z.object({ name: z.string(), oid: z.string() }),
  fingerprints: z.object({ sha256: z.string(), sha1: z.string() }),
  sans: texts,
  sans_by_kind: z.record(z.string(), texts).describe("The same names by kind: `dns`, `ip`, `email`, …"),
  basic_constraints: z.object({ ca: z.boolean(), path_length: count }).nullable(),
  key_usage: texts.nullable(),
  extended_key_usage: texts.nullable(),
  name_constraints: z.object({ permitted: texts, excluded: texts }).nullable(),
  subject_key_id: z.string().nullable(),
  authority_key_id: z.string().nullable(),
  certificate_policies: z.array(z.object({ oid: z.string(), name: z.string(), qualifiers: texts })),
  policy_constraints: z.object({
    require_explicit_policy: count,
    inhibit_policy_mapping: count,
    inhibit_any_policy: count,
  }),
  authority_info_access: Access,
  subject_info_access: Access,
  crl_distribution_points: texts,
  signed_certificate_timestamps: z.int(),
  must_staple: z.boolean().describe("RFC 7633: the server must staple an OCSP response."),
  extensions: z.array(z.object({
    oid: z.string(),
    name: z.string(),
    critical: z.boolean(),
    size: z.int().describe("Bytes of the content."),
    malformed: z.string().nullable(),
    duplicate: z.boolean(),
  })),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
});
