import type { IssuerFinding, IssuerRule } from "./types.ts";

/**
 * An issuer is a version 3 certificate whose basicConstraints say CA. Versions 1 and 2 cannot say so; they are let
 * pass as the top of a path, where RFC 5280 §6.1.1 (d) asks for a name and a key only.
 */
export const notACa: IssuerRule = {
  code: "not_a_ca",
  citation: "RFC 5280 §6.1.4 (k)",
  check({ issuer: { certificate, anchor, selfIssued }, below }): IssuerFinding[] {
    const { version, basicConstraints } = certificate;
    if (version === 3) {
      if (basicConstraints?.ca === true) return [];
      const reason = basicConstraints === undefined
        ? "it has no basicConstraints"
        : "its basicConstraints say so";
      return [{ position: below.length + 1, sentence: `is not a CA: ${reason}` }];
    }
    if (anchor !== undefined || selfIssued) return [];
    return [{ position: below.length + 1, sentence: `is not a CA: it is of version ${version}` }];
  },
};
