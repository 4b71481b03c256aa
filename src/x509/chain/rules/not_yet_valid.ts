import type { CertificateRule } from "./types.ts";

/** A certificate is already valid in the second of notBefore. */
export const notYetValid: CertificateRule = {
  code: "not_yet_valid",
  citation: "RFC 5280 §6.1.3 (a)(2)",
  check: ({ validity: { notBefore } }, at) =>
    at < notBefore / 1000
      ? [`is not valid before ${new Date(notBefore).toISOString().replace(".000Z", "Z")}`]
      : [],
};
