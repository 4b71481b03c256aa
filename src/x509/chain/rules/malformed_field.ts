import type { FindingCode } from "../../findings.ts";
import type { CertificateRule } from "./types.ts";

/**
 * Findings that violate the ASN.1 of RFC 5280, or a MUST about the encoding. The inventory accepts such
 * certificates.
 */
export const MALFORMED_FIELDS: readonly FindingCode[] = ["empty_rdn", "signature_bits", "time_form"];

/** A certificate with a field that RFC 5280 forbids can be read, but is not valid. */
export const malformedField: CertificateRule = {
  code: "malformed_certificate",
  citation: "RFC 5280 §4.1",
  check: ({ findings }) =>
    findings.filter(({ code }) => MALFORMED_FIELDS.some((name) => name === code))
      .map(({ message }) => `is malformed: ${message}`),
};
