import type { CertificateRule } from "./types.ts";

/**
 * A known extension that cannot be read makes the certificate invalid, because its requirements are unknown.
 */
export const malformedExtension: CertificateRule = {
  code: "malformed_extension",
  citation: "RFC 5280 §4.2",
  check: ({ extensions }) =>
    extensions.flatMap(({ name, malformed }) =>
      malformed === undefined ? [] : [`has a malformed extension ${name}: ${malformed}`]
    ),
};
