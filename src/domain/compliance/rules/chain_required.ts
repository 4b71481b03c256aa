/** Certificates need a chain to a root. */

import { parametersOf } from "./parameters.ts";
import { type CertificateFacts, defineRule, resultOf } from "./types.ts";

const VALID = ["valid", "self_signed"];

/**
 * Fails if a certificate is stored without the certificates between it and its root (RFC 8446 §4.4.2). If the
 * chain was validated, the result decides: `valid` and `self_signed` pass. Before that, any stored chain
 * passes, and so does a certificate whose subject equals its issuer, because it needs none.
 */
export const chainRequired = defineRule({
  type: "chain_required",
  citation: "RFC 8446 §4.4.2",
  parameters: parametersOf({}),
  check: ({ certificate }) => {
    const expected = "a chain, which must be valid if it was validated";
    const { chainStatus } = certificate;
    if (chainStatus === null) return resultOf(...unvalidated(certificate, expected));
    const passes = VALID.includes(chainStatus);
    return resultOf(passes, {
      message: chainStatus === "self_signed"
        ? "Passes: self-signed, needs no chain."
        : passes
        ? "The chain is valid."
        : `The chain is not valid: ${chainStatus.replaceAll("_", " ")}.`,
      checked: chainStatus,
      expected,
    });
  },
});

function unvalidated(
  { hasChain, subject, issuer }: CertificateFacts,
  expected: string,
): Parameters<typeof resultOf> {
  if (hasChain) {
    return [true, {
      message: "A chain is stored, but has not been validated yet.",
      checked: "not validated",
      expected,
    }];
  }
  if (subject !== "" && subject === issuer) {
    return [true, {
      message: "The certificate is self-issued and needs no chain.",
      checked: "self-issued",
      expected,
    }];
  }
  return [false, { message: "No chain is stored.", checked: "none", expected }];
}
