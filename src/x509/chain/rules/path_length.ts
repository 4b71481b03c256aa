import type { IssuerFinding, IssuerRule } from "./types.ts";

/** pathLenConstraint limits the number of intermediates below; self-issued ones are not counted. */
export const pathLength: IssuerRule = {
  code: "path_length",
  citation: "RFC 5280 §6.1.4 (l), (m)",
  check({ issuer: { certificate: { basicConstraints } }, below }): IssuerFinding[] {
    const allowed = basicConstraints?.ca === true ? basicConstraints.pathLength : undefined;
    const intermediates = below.slice(1).filter(({ selfIssued }) => !selfIssued).length;
    if (allowed === undefined || intermediates <= allowed) return [];
    const sentence = `allows ${allowed} intermediates below it, but there are ${intermediates}`;
    return [{ position: below.length + 1, sentence }];
  },
};
