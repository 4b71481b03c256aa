import type { CertificateRule } from "./types.ts";

/** Critical certificatePolicies with a qualifier that cannot be interpreted make the certificate invalid. */
export const policyQualifier: CertificateRule = {
  code: "critical_extension",
  citation: "RFC 5280 §4.2.1.4",
  check: ({ extensions, certificatePolicies = [] }) =>
    extensions.some(({ name, critical }) => name === "certificatePolicies" && critical)
      ? certificatePolicies.flatMap(({ unknownQualifier }) =>
        unknownQualifier === undefined
          ? []
          : [`has critical certificatePolicies with the unknown qualifier ${unknownQualifier}`]
      ).slice(0, 1)
      : [],
};
