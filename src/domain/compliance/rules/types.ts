/**
 * The interface of rules: functions of the facts about one certificate and the time, without side effects.
 */

import type { z } from "zod";
import type { Millis } from "../../../base/clock.ts";

/** The facts about a certificate that rules evaluate. */
export interface CertificateFacts {
  readonly commonName: string;
  /**
   * Names in the certificate's order. Those of other kinds than DNS have a prefix (`IP:`, `email:`, `URI:`).
   */
  readonly sans: readonly string[];
  readonly issuer: string;
  /** Empty if the certificate has no PEM. */
  readonly subject: string;
  readonly algorithm: string;
  /** `RSA`, `DSA`, `P-256`, `ML-DSA-65`; empty if unknown. */
  readonly keyAlgorithm: string;
  /** In bits; null if unknown. */
  readonly keySize: number | null;
  readonly validFrom: Millis;
  readonly validTo: Millis;
  /** `sha256WithRSAEncryption`; empty if the certificate has no PEM, and for requests: their issuer signs later. */
  readonly signatureAlgorithm: string;
  /** Whether intermediate certificates are stored with it. */
  readonly hasChain: boolean;
  /** Result of the last chain validation; null if there was none. */
  readonly chainStatus: string | null;
  /** What is malformed or unusual in its PEM. */
  readonly findings: readonly CertificateFinding[];
}

/** The facts that a signing request has, too. */
export type RequestFacts = Pick<
  CertificateFacts,
  "commonName" | "sans" | "algorithm" | "keyAlgorithm" | "keySize" | "signatureAlgorithm"
>;

/** A finding about a certificate's PEM. */
export interface CertificateFinding {
  readonly code: string;
  readonly message: string;
  readonly section: string;
}

/** The result of a rule. All texts are short and for people. */
export interface RuleResult {
  readonly result: "pass" | "fail";
  readonly message: string;
  readonly checked_value: string;
  readonly expected_value: string;
}

/** A rule. Its parameters have defaults where possible, so that `{}` is valid for most rules. */
export interface Rule<Parameters = Record<string, unknown>> {
  /** The `policy_type` of policies that apply it. */
  readonly type: string;
  /** The standard that it follows. */
  readonly citation: string;
  readonly parameters: z.ZodType<Parameters> & { readonly shape: Readonly<Record<string, z.ZodType>> };
  check(
    subject: {
      readonly certificate: CertificateFacts;
      readonly parameters: Parameters;
      readonly now: Millis;
    },
  ): RuleResult;
  /** What the rule evaluates if a signing request has it, too; absent for rules that need a certificate. */
  readonly evaluates?: "key" | "names";
  /** Evaluates the certificate that a signing request asks for; exists together with `evaluates`. */
  checkRequest?(
    subject: { readonly certificate: RequestFacts; readonly parameters: Parameters },
  ): RuleResult;
}

/** Defines a rule; the type of its parameters is inferred from their schema. */
export function defineRule<Type extends string, Parameters>(
  definition: Rule<Parameters> & { readonly type: Type },
): Rule<Parameters> & { readonly type: Type } {
  return definition;
}

/** A rule about the key or the names, which a signing request has, too. */
type RequestRule<Parameters> = Omit<Rule<Parameters>, "check" | "checkRequest" | "evaluates"> & {
  readonly evaluates: "key" | "names";
  check(subject: { readonly certificate: RequestFacts; readonly parameters: Parameters }): RuleResult;
};

/** Defines a rule that also evaluates signing requests. */
export function defineRequestRule<Type extends string, Parameters>(
  definition: RequestRule<Parameters> & { readonly type: Type },
): Rule<Parameters> & { readonly type: Type } {
  return { ...definition, checkRequest: definition.check };
}

/** Builds the result of a rule. */
export function resultOf(
  passes: boolean,
  texts: { message: string; checked: string; expected: string },
): RuleResult {
  return {
    result: passes ? "pass" : "fail",
    message: texts.message,
    checked_value: texts.checked,
    expected_value: texts.expected,
  };
}
