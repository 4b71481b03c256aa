import type { CertificateRule } from "./types.ts";

/** A certificate is still valid in the second of notAfter. */
export const expired: CertificateRule = {
  code: "expired",
  citation: "RFC 5280 §6.1.3 (a)(2)",
  check: ({ validity: { notAfter } }, at) =>
    at > notAfter / 1000 ? [`expired on ${new Date(notAfter).toISOString().replace(".000Z", "Z")}`] : [],
};
