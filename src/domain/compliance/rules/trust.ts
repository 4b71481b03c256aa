/** Rules about chains, malformed PEM, distrust and revocation. */

import { DAY_MS, formatDate } from "../../../base/clock.ts";
import {
  type CertificateFacts,
  codeList,
  defineRule,
  joinTexts,
  parametersOf,
  resultOf,
  wholeNumber,
} from "./types.ts";

/** Fails unless a recent check found that a certificate is not revoked (RFC 5280 §6.3), or needs no check. */
export const notRevoked = defineRule({
  type: "not_revoked",
  parameters: parametersOf({
    max_age_days: wholeNumber({ min: 1, max: 365, description: "Maximum age of the last check in days." })
      .default(7),
  }),
  check: ({ certificate: { revocationStatus: status, revocationCheckedAt: at }, parameters, now }) => {
    const isRecent = at !== null && now - at <= parameters.max_age_days * DAY_MS;
    const passes = isRecent && (status === "good" || status === "not_needed");
    const last = at === null ? "It was never checked" : `It was last checked on ${formatDate(at)}`;
    return resultOf(passes, {
      message: status === "revoked"
        ? "Its authority has revoked it."
        : passes
        ? `${status === "good" ? "Its authority says that it is not revoked" : "It needs no check"}.`
        : !isRecent
        ? `${last}.`
        : "Its authority has not said whether it is revoked.",
      checked: status.replaceAll("_", " "),
      expected: "not revoked",
    });
  },
});

const CODES = ["distrusted", "distrusted_after"];

/** Fails if a key or certificate on the path is distrusted, or its root was before it was issued (RFC 5280 §6.1.1). */
export const notDistrusted = defineRule({
  type: "not_distrusted",
  parameters: parametersOf({}),
  check: ({ certificate: { chainErrors, chainStatus } }) => {
    const found = chainErrors.filter((code) => CODES.includes(code));
    return resultOf(found.length === 0, {
      message: chainStatus === null
        ? "Its chain was not validated yet."
        : found.length === 0
        ? "Nothing on its path is distrusted."
        : found.includes("distrusted")
        ? "A key or certificate on its path is distrusted."
        : "It was issued after its root was distrusted.",
      checked: found.join(", ") || "trusted",
      expected: "not distrusted",
    });
  },
});

/**
 * Fails if the certificate's PEM has findings (RFC 5280 §4.1) other than those with a code in `allowed_codes`.
 * Without PEM there are none.
 */
export const noFindings = defineRule({
  type: "no_findings",
  parameters: parametersOf({ allowed_codes: codeList().prefault([]) }),
  check: ({ certificate: { findings }, parameters: { allowed_codes } }) => {
    const codes = [...new Set(findings.map(({ code }) => code))];
    const refused = codes.filter((code) => !allowed_codes.includes(code));
    const passes = refused.length === 0;
    const first = findings.find(({ code }) => code === refused[0]);
    return resultOf(passes, {
      message: first === undefined
        ? codes.length === 0
          ? "The certificate has no findings."
          : `The certificate has allowed findings only: ${joinTexts(codes)}.`
        : `The certificate has the finding${refused.length === 1 ? "" : "s"} ${
          joinTexts(refused)
        }. ${first.message} (${first.section}).`,
      checked: codes.length === 0 ? "none" : joinTexts(codes),
      expected: allowed_codes.length === 0 ? "none" : `none but ${joinTexts(allowed_codes)}`,
    });
  },
});

const VALID = ["valid", "self_signed"];

/**
 * Fails if a certificate is stored without the certificates between it and its root (RFC 8446 §4.4.2). If the
 * chain was validated, the result decides: `valid` and `self_signed` pass. Before that, any stored chain
 * passes, and so does a certificate whose subject equals its issuer, because it needs none.
 */
export const chainRequired = defineRule({
  type: "chain_required",
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
