import type { IssuerFinding, IssuerRule } from "./types.ts";

/** A version 1 or 2 certificate can be the last of a path, but not an intermediate. */
export const oldVersion: IssuerRule = {
  code: "not_a_ca",
  citation: "RFC 5280 §6.1.4 (k)",
  check({ below }): IssuerFinding[] {
    const top = below[below.length - 1]!;
    const letPass = top.certificate.version < 3 && (top.selfIssued || top.anchor !== undefined);
    if (below.length === 1 || !letPass) return [];
    const sentence = `is of version ${top.certificate.version} but not the last of the path`;
    return [{ position: below.length, sentence }];
  },
};
