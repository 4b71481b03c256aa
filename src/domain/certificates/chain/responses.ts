/** Responses of chain validation, and of `details/`: all fields of a certificate's PEM. */

import { z } from "zod";
import { formatDatetime, type Millis } from "../../../base/clock.ts";
import { shorten } from "../../../base/quote.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import { inventoryFields } from "../../../x509/mod.ts";
import { CHAIN_STATUSES } from "../mod.ts";

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

export const NO_PEM = "Certificate has no PEM content to validate.";

/** Maximum length of a name in a response, which has those of many certificates, each of up to 64 KiB. */
export const MAX_NAME = 2_000;

const ChainStatusSchema = z.enum(CHAIN_STATUSES);

/** Response for one certificate. */
export const ChainValidation = z.object({
  status: ChainStatusSchema,
  is_valid: z.boolean(),
  message: z.string(),
  chain_depth: z.int(),
  certificates: z.array(z.object({
    common_name: z.string(),
    subject: z.string(),
    issuer: z.string(),
    is_leaf: z.boolean(),
    is_self_signed: z.boolean(),
    serial_number: z.string(),
    fingerprint_sha256: z.string(),
    valid_from: z.string(),
    valid_to: z.string(),
  })).describe("The path, leaf first."),
  errors: z.array(z.string()),
  warnings: z.array(z.string()),
  complete: z.boolean(),
  anchor: z.enum(["none", "bundle", "tracked_ca", "public_root"]),
  policies: z.object({ authority: z.array(z.string()), user: z.array(z.string()) }).describe(
    "Certificate policies for which the path is valid (RFC 5280 §6.1.6): by its certificates, and those of them that are acceptable.",
  ),
  validated_at: z.string(),
});
export type ChainValidation = z.infer<typeof ChainValidation>;

/** Response for many certificates. */
export const BulkChainValidation = z.object({
  validated_count: z.int(),
  valid_count: z.int(),
  invalid_count: z.int(),
  missing_ids: z.array(z.int()),
  results: z.array(z.object({
    id: z.int(),
    common_name: z.string(),
    status: ChainStatusSchema,
    is_valid: z.boolean(),
    message: z.string(),
    chain_depth: z.int(),
  })),
});
export type BulkChainValidation = z.infer<typeof BulkChainValidation>;

/** Converts a result into the response. */
export function chainResponse(result: ChainResult, validatedAt: Millis): ChainValidation {
  return {
    status: result.status,
    is_valid: result.isValid,
    message: result.message,
    chain_depth: result.depth,
    certificates: result.path.map(({ certificate, isLeaf, isSelfSigned }) => {
      const fields = inventoryFields(certificate);
      return {
        common_name: shorten(fields.common_name, MAX_NAME),
        subject: shorten(fields.subject, MAX_NAME),
        issuer: shorten(fields.issuer, MAX_NAME),
        is_leaf: isLeaf,
        is_self_signed: isSelfSigned,
        serial_number: fields.serial_number,
        fingerprint_sha256: fields.fingerprint_sha256,
        valid_from: formatDatetime(fields.valid_from),
        valid_to: formatDatetime(fields.valid_to),
      };
    }),
    errors: [...result.errors],
    warnings: [...result.warnings],
    complete: result.complete,
    anchor: result.anchor,
    policies: { authority: [...result.policies.authority], user: [...result.policies.user] },
    validated_at: formatDatetime(validatedAt),
  };
}
