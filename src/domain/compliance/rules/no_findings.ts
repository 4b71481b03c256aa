/** Certificates without findings. */

import { codeList, parametersOf } from "./parameters.ts";
import { defineRule, resultOf } from "./types.ts";
import { joinTexts } from "./wording.ts";

/**
 * Fails if the certificate's PEM has findings (RFC 5280 §4.1) other than those with a code in `allowed_codes`.
 * Without PEM there are none.
 */
export const noFindings = defineRule({
  type: "no_findings",
  citation: "RFC 5280 §4.1",
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
