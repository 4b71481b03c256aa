import type { CertificateRule } from "./types.ts";

/** The inner and outer signature algorithms must be equal, parameters included. */
export const algorithmMismatch: CertificateRule = {
  code: "algorithm_mismatch",
  citation: "RFC 5280 §4.1.1.2",
  check({ signatureAlgorithm: outer, tbsSignatureAlgorithm: inner }): string[] {
    if (
      inner.der.length === outer.der.length && inner.der.every((byte, index) => byte === outer.der[index])
    ) {
      return [];
    }
    return [`names ${inner.name} inside and ${outer.name} outside as its signature algorithm`];
  },
};
