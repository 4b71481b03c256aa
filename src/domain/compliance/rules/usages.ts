/** Rules about usages, and about publicly trusted certificates. */

import { z } from "zod";
import { brokenRules } from "../../rules/mod.ts";
import { defineRule, parametersOf, resultOf, usageList, wholeNumber } from "./types.ts";

/** Fails if a publicly trusted certificate breaks a rule that was in force when it was issued (CA/B BR 6.3.2). */
export const rulesInForce = defineRule({
  type: "rules_in_force",
  parameters: parametersOf({}),
  check: ({ certificate }) => {
    const broken = brokenRules(certificate, { rules: certificate.validityRules, at: certificate.validFrom });
    const names = broken.map(({ name }) => name).join(", ");
    return resultOf(broken.length === 0, {
      message: certificate.publiclyTrusted !== true
        ? "It is not publicly trusted."
        : broken.length === 0
        ? "It keeps the rules of the day on which it was issued."
        : broken.map(({ effect, from }) => `${effect.replace(/\.$/, "")} since ${from}.`).join(" "),
      checked: names || "no rule broken",
      expected: "the rules of the day of issue",
    });
  },
});

/** No certificate is in more logs; a larger value is a typing error. */
const MAX_LOGS = 20;

/** Fails if a publicly trusted server certificate has fewer than `min` embedded timestamps (RFC 6962 §3.3). */
export const sctsPresent = defineRule({
  type: "scts_present",
  parameters: parametersOf({
    min: wholeNumber({ min: 1, max: MAX_LOGS, description: "Minimum number of timestamps." }).default(2),
  }),
  check: ({ certificate: { publiclyTrusted, usages, scts }, parameters: { min } }) => {
    const isExempt = publiclyTrusted !== true || !usages.includes("server_auth");
    return resultOf(isExempt || scts >= min, {
      message: isExempt
        ? "It is no publicly trusted server certificate."
        : `It has ${scts} signed certificate timestamps${scts >= min ? "" : `, fewer than ${min}`}.`,
      checked: String(scts),
      expected: `at least ${min}`,
    });
  },
});

/** Fails if a certificate may be used for something else than `usages` (RFC 5280 §4.2.1.12). */
export const usageAllowed = defineRule({
  type: "usage_allowed",
  parameters: parametersOf({ usages: usageList("The only usages that a certificate may have.") }),
  check: ({ certificate, parameters: { usages } }) => {
    const others = certificate.usages.filter((usage) => !usages.includes(usage));
    return resultOf(others.length === 0, {
      message: others.length === 0
        ? "All its usages are allowed."
        : `It may be used for ${others.join(", ")}; allowed: ${usages.join(", ")}.`,
      checked: certificate.usages.join(", ") || "unknown",
      expected: `only ${usages.join(", ")}`,
    });
  },
});

/** Fails if a certificate may be used for one of `usages`. */
export const usageForbidden = defineRule({
  type: "usage_forbidden",
  parameters: parametersOf({
    usages: usageList("Usages that no certificate may have."),
    publicly_trusted_only: z.boolean({ error: "Expected true or false." }).default(true).meta({
      description: "Whether only publicly trusted certificates are checked.",
    }),
  }),
  check: ({ certificate, parameters: { usages, publicly_trusted_only } }) => {
    const found = certificate.usages.filter((usage) => usages.includes(usage));
    const isExempt = publicly_trusted_only && certificate.publiclyTrusted !== true;
    return resultOf(isExempt || found.length === 0, {
      message: found.length === 0
        ? "It has no forbidden usage."
        : isExempt
        ? "It is not publicly trusted."
        : `It may be used for ${found.join(", ")}, which is forbidden.`,
      checked: certificate.usages.join(", ") || "unknown",
      expected: `none of ${usages.join(", ")}`,
    });
  },
});
