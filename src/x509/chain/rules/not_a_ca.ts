import type { IssuerFinding, IssuerRule } from "./types.ts";

/**
 * An issuer must be a version 3 certificate with cA TRUE in its basicConstraints. Versions 1 and 2 have no
 * extensions. They are accepted at the end of a path, where RFC 5280 §6.1.1 (d) requires only a name and a
 * key.
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
        : "its basicConstraints has cA FALSE";
      return [{ position: below.length + 1, sentence: `is not a CA: ${reason}` }];
    }
    if (anchor !== undefined || selfIssued) return [];
    return [{ position: below.length + 1, sentence: `is not a CA: it is of version ${version}` }];
  },
};
