import type { CertificateRule } from "./types.ts";

/** No extension may occur twice. */
export const duplicateExtension: CertificateRule = {
  code: "duplicate_extension",
  citation: "RFC 5280 §4.2",
  check: ({ extensions }) =>
    extensions.filter(({ duplicate }) => duplicate).map(({ name }) =>
      `has the extension ${name} more than once`
    ),
};
