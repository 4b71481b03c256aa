/** Chains with certificate policies, described by policy letters. */

import { DEFAULT_POLICY_INPUTS, type PolicyInputs } from "../../../src/x509/chain/mod.ts";
import { ext, TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";

/** The policy extensions of one certificate: `"A B *"` are policies (`*` is anyPolicy), `"A>B"` is a mapping. */
export interface PolicyPart {
  readonly policies?: string;
  readonly mappings?: string;
  readonly explicit?: number;
  readonly inhibitMapping?: number;
  readonly inhibitAny?: number;
  /** The certificate has the same name as its issuer. */
  readonly selfIssued?: boolean;
}

/** Initial inputs, with the acceptable policies as letters. */
export interface PolicyAsk extends Partial<Omit<PolicyInputs, "initialPolicies">> {
  readonly initial?: string;
}

/** Returns the OID of a policy letter. */
export function policyOid(letter: string): string {
  return letter === "*" ? "2.5.29.32.0" : `1.3.9999.1.${letter.charCodeAt(0) - 64}`;
}

/** Returns the policy letter of an OID. */
export function policyLetter(oid: string): string {
  return oid === "2.5.29.32.0" ? "*" : String.fromCharCode(Number(oid.split(".").at(-1)) + 64);
}

/** Returns the inputs of a validation. */
export function policyInputs({ initial = "*", ...rest }: PolicyAsk): PolicyInputs {
  return { ...DEFAULT_POLICY_INPUTS, ...rest, initialPolicies: words(initial).map(policyOid) };
}

/** Returns the policy extensions of a certificate. */
export function policyExtensions(part: PolicyPart): ext.ExtensionInput[] {
  const { policies, mappings, explicit, inhibitMapping, inhibitAny } = part;
  const pairs = words(mappings ?? "").map((pair) => pair.split(">").map(policyOid) as [string, string]);
  return [
    ...(policies === undefined
      ? []
      : [ext.certificatePolicies(words(policies).map(policyOid), { critical: true })]),
    ...(pairs.length === 0 ? [] : [ext.policyMappings(pairs)]),
    ...(explicit === undefined && inhibitMapping === undefined ? [] : [ext.policyConstraints({
      ...(explicit === undefined ? {} : { requireExplicitPolicy: explicit }),
      ...(inhibitMapping === undefined ? {} : { inhibitPolicyMapping: inhibitMapping }),
    })]),
    ...(inhibitAny === undefined ? [] : [ext.inhibitAnyPolicy(inhibitAny)]),
  ];
}

/** Issues a chain under a root, from the certificate below the root to the leaf. The root may have policies, too. */
export async function policyChain(
  parts: readonly PolicyPart[],
  root: PolicyPart = {},
): Promise<{ leaf: TestCertificate; pool: TestCertificate[] }> {
  let issuer = await TestCa.root({ key: "ed25519", extensions: policyExtensions(root) });
  const pool: TestCertificate[] = [issuer];
  for (const [index, part] of parts.slice(0, -1).entries()) {
    issuer = await issuer.intermediate({
      key: "ed25519",
      ...(part.selfIssued ? { subject: issuer.subject } : { cn: `CA ${index + 1}` }),
      extensions: policyExtensions(part),
    });
    pool.push(issuer);
  }
  const last = parts.at(-1)!;
  const leaf = await issuer.issue({
    key: "ed25519",
    ...(last.selfIssued ? { subject: issuer.subject } : { cn: "leaf.example" }),
    extensions: policyExtensions(last),
  });
  return { leaf, pool };
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
