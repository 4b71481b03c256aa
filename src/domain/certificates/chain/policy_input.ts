/** The member `policy` of the body of a chain validation (RFC 5280 §6.1.1 (c), (e), (f), (g)). */

import { encoded, issue } from "../../../base/findings.ts";
import { z } from "zod";
import { documented, quote, unexpected } from "../../../resource/mod.ts";
import type { PolicyInputs } from "../../../x509/chain/mod.ts";
import { ANY_POLICY, DEFAULT_POLICY_INPUTS } from "../../../x509/chain/policies/types.ts";

/** Maximum number of acceptable policies. Real policy domains have a few dozen. */
const MAX_INITIAL_POLICIES = 100;
/** Maximum length of an OID in an input; the longest in use stay below 70. */
const MAX_OID_CHARS = 200;
/**
 * The dotted form: the first arc is 0, 1 or 2, the second is below 40 unless the first is 2, and there are no
 * leading zeros.
 */
const OID = /^(?:[01]\.(?:\d|[1-3]\d)|2\.(?:0|[1-9]\d*))(?:\.(?:0|[1-9]\d*))*$/;

function expected(form: string): { error: (issue: { input?: unknown }) => string } {
  return { error: ({ input }) => encoded(unexpected(form, input)) };
}

const FLAG = z.boolean(expected("true or false")).optional();
const POLICY_OID = documented(
  z.string(expected(`an OID such as "${ANY_POLICY}"`)).refine(
    (text) => text.length <= MAX_OID_CHARS && OID.test(text),
    expected(`an OID such as "${ANY_POLICY}"`),
  ),
  { type: "string", maxLength: MAX_OID_CHARS, pattern: OID.source },
);
const NAMES = "initial_policies, require_explicit, inhibit_mapping or inhibit_any";

/** Initial inputs of policy processing. Absent members have their defaults. */
export const PolicyInput = z.strictObject({
  initial_policies: z.array(POLICY_OID, expected("a list of OIDs"))
    .min(1, issue("expected_some", { thing: "OID" }))
    .max(MAX_INITIAL_POLICIES, `Expected at most ${MAX_INITIAL_POLICIES} OIDs.`)
    .optional()
    .describe(`Acceptable policies, in the policy domain of the root; default: all ("${ANY_POLICY}").`),
  require_explicit: FLAG.describe("Whether the path must be valid for an acceptable policy; default false."),
  inhibit_mapping: FLAG.describe("Whether policy mappings are not allowed; default false."),
  inhibit_any: FLAG.describe("Whether anyPolicy in a certificate matches no other policy; default false."),
}, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `Unknown member ${issue.keys.map(quote).join(", ")}. Expected ${NAMES}.`
      : `Expected an object, not ${quote(issue.input)}.`,
});

/** Returns the inputs of policy processing; undefined if `policy` is absent, null or has only defaults. */
export function policyInputsOf(
  policy: z.infer<typeof PolicyInput> | null | undefined,
): PolicyInputs | undefined {
  if (policy === undefined || policy === null) return undefined;
  const { initial_policies, require_explicit, inhibit_mapping, inhibit_any } = policy;
  const inputs: PolicyInputs = {
    initialPolicies: initial_policies ?? DEFAULT_POLICY_INPUTS.initialPolicies,
    requireExplicit: require_explicit ?? false,
    inhibitMapping: inhibit_mapping ?? false,
    inhibitAny: inhibit_any ?? false,
  };
  const isDefault = inputs.initialPolicies.includes(ANY_POLICY) && !inputs.requireExplicit &&
    !inputs.inhibitMapping && !inputs.inhibitAny;
  return isDefault ? undefined : inputs;
}
