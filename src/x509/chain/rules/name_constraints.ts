import type { IssuerFinding, IssuerRule } from "./types.ts";

/**
 * Every certificate below must satisfy the issuer's name constraints, except self-issued intermediates (but
 * never the leaf). The constraints apply whether or not the extension is critical.
 */
export const nameConstraints: IssuerRule = {
  code: "name_constraints",
  citation: "RFC 5280 §6.1.3 (b), (c)",
  check({ issuer, below, names }): IssuerFinding[] {
    const constraints = names.constraintsOf(issuer);
    if (constraints === undefined) return [];
    if (constraints.malformed !== undefined) {
      const { kind } = constraints.malformed;
      return [{
        position: below.length + 1,
        sentence: `has a malformed constraint on names of the form ${kind}`,
      }];
    }
    return below.flatMap((subject, index): IssuerFinding[] => {
      if (index > 0 && subject.selfIssued) return [];
      const refusal = names.refusal(issuer, subject);
      if (refusal === undefined) return [];
      const position = index + 1;
      return refusal.kind === "limit"
        ? [{
          position,
          sentence: "has too many names to compare with the constraints above it",
          code: "limit",
        }]
        : [{
          position,
          sentence: `violates the constraints of certificate ${below.length + 1}: ${refusal.sentence}`,
        }];
    });
  },
};
