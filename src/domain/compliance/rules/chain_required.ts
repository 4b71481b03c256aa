/** Certificates without a chain to a root. */

import { parametersOf } from "./parameters.ts";
import { type CertificateFacts, judged, rule } from "./types.ts";

const VALID = ["valid", "self_signed"];

/**
 * Fails when a certificate comes without the certificates between it and its root (RFC 8446 §4.4.2). Once the chain
 * was validated, that result decides: `valid` and `self_signed` pass. Until then a stored chain passes unread, and so
 * does a certificate whose subject is its issuer, which needs none.
 */
export const chainRequired = rule({
  type: "chain_required",
  citation: "RFC 8446 §4.4.2",
  parameters: parametersOf({}),
  check: ({ certificate }) => {
    const expected = "a chain, valid where it was validated";
    const { chainStatus } = certificate;
    if (chainStatus === null) return judged(...unvalidated(certificate, expected));
    const passes = VALID.includes(chainStatus);
    return judged(passes, {
      message: `The chain was validated, and ${
        passes ? "holds" : `does not hold: ${chainStatus.replaceAll("_", " ")}`
      }.`,
      checked: chainStatus,
      expected,
    });
  },
});

function unvalidated(
  { hasChain, subject, issuer }: CertificateFacts,
  expected: string,
): Parameters<typeof judged> {
  if (hasChain) {
    return [true, {
      message: "A chain is stored, and was not validated yet.",
      checked: "not validated",
      expected,
    }];
  }
  if (subject !== "" && subject === issuer) {
    return [true, {
      message: "The certificate names itself as its issuer, and needs no chain.",
      checked: "self-issued",
      expected,
    }];
  }
  return [false, { message: "No chain is stored.", checked: "none", expected }];
}
