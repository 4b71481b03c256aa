import type { IssuerRule } from "./types.ts";

/** Where keyUsage is present, an issuer's must allow to sign certificates. */
export const keyUsage: IssuerRule = {
  code: "key_usage",
  citation: "RFC 5280 §6.1.4 (n)",
  check: ({ issuer: { certificate: { keyUsage } }, below }) =>
    keyUsage === undefined || keyUsage.includes("keyCertSign")
      ? []
      : [{ position: below.length + 1, sentence: "may not sign certificates by its keyUsage" }],
};
