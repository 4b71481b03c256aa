import type { CertificateRule } from "./types.ts";

/** Only version 3 certificates may have extensions. */
export const extensionVersion: CertificateRule = {
  code: "malformed_extension",
  citation: "RFC 5280 §4.1.2.9",
  check: ({ version, extensions }) =>
    version < 3 && extensions.length > 0 ? [`has extensions, but is a version ${version} certificate`] : [],
};
