import type { CertificateRule } from "./types.ts";

/** A known extension that cannot be read refuses the certificate: what it demands is not known. */
export const malformedExtension: CertificateRule = {
  code: "malformed_extension",
  citation: "RFC 5280 §4.2",
  check: ({ extensions }) =>
    extensions.flatMap(({ name, malformed }) =>
      malformed === undefined ? [] : [`has a malformed extension ${name}: ${malformed}`]
    ),
};
