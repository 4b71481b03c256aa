import type { IssuerRule } from "./types.ts";

/** An issuer with keyUsage must have keyCertSign. */
export const keyUsage: IssuerRule = {
  code: "key_usage",
  citation: "RFC 5280 §6.1.4 (n)",
  check: ({ issuer: { certificate: { keyUsage } }, below }) =>
    keyUsage === undefined || keyUsage.includes("keyCertSign")
      ? []
      : [{ position: below.length + 1, sentence: "has a keyUsage without keyCertSign" }],
};
