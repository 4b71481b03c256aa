/** What a rule is: a pure judgement of one certificate's plain facts at one moment. */

import type { z } from "zod";
import type { Millis } from "../../../base/clock.ts";

/** What rules may know of a certificate. */
export interface CertificateFacts {
  readonly commonName: string;
  /** Names in the certificate's order; other kinds than DNS carry a prefix (`IP:`, `email:`, `URI:`). */
  readonly sans: readonly string[];
  readonly issuer: string;
  /** Empty where the certificate's PEM is not known. */
  readonly subject: string;
  readonly algorithm: string;
  /** Bits; null where it is not known. */
  readonly keySize: number | null;
  readonly validFrom: Millis;
  readonly validTo: Millis;
  /** Whether intermediate certificates are stored with it. */
  readonly hasChain: boolean;
  /** Result of the last chain validation; null until there was one. */
  readonly chainStatus: string | null;
}

/** What a rule found. All texts are short and for people. */
export interface Judgement {
  readonly result: "pass" | "fail";
  readonly message: string;
  readonly checked_value: string;
  readonly expected_value: string;
}

/** One rule. Its parameters have defaults wherever one makes sense, so that `{}` is read as far as possible. */
export interface Rule<Parameters = Record<string, unknown>> {
  /** The `policy_type` of policies that apply it. */
  readonly type: string;
  /** The text that it follows. */
  readonly citation: string;
  readonly parameters: z.ZodType<Parameters>;
  check(
    subject: {
      readonly certificate: CertificateFacts;
      readonly parameters: Parameters;
      readonly now: Millis;
    },
  ): Judgement;
}

/** Makes a rule; the type of its parameters follows from their schema. */
export function rule<Type extends string, Parameters>(
  definition: Rule<Parameters> & { readonly type: Type },
): Rule<Parameters> & { readonly type: Type } {
  return definition;
}

/** A judgement from the three things that every one says. */
export function judged(
  passes: boolean,
  said: { message: string; checked: string; expected: string },
): Judgement {
  return {
    result: passes ? "pass" : "fail",
    message: said.message,
    checked_value: said.checked,
    expected_value: said.expected,
  };
}
