/**
 * What rules are made of: functions of the facts about one certificate and the time, without side effects, schemas of
 * their parameters, and the wording of results, which must be short whatever a certificate contains.
 */

import { z } from "zod";
import type { ValidityRule } from "../../../auth/mod.ts";
import { boundedList } from "../../../base/bounded_list.ts";
import type { Millis } from "../../../base/clock.ts";
import { issue } from "../../../base/findings.ts";
import { MAX_CHOICES } from "../../../base/limits.ts";
import { quoteJson } from "../../../base/quote.ts";
import { FINDING_CODES, printable, type Usage, USAGES } from "../../../x509/mod.ts";

/** Maximum length of a quoted text. */
const MAX_QUOTED_CHARS = 120;
/** Maximum number of texts in a list. */
const MAX_LISTED = 3;

/** Shortens a long text and escapes control characters, so that it can be part of a message. */
export function clip(text: string): string {
  // Cuts first, because splitting a long text into characters is slow. A character has at most two units, so
  // two units more than the maximum show that the text is longer.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARS + 2)];
  const short = characters.length > MAX_QUOTED_CHARS
    ? `${characters.slice(0, MAX_QUOTED_CHARS).join("")}…`
    : text;
  return printable(short);
}

/** Returns `a, b, c and 4 more`. */
export function joinTexts(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).map(clip).join(", ");
  const more = texts.length - MAX_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const ALGORITHM_NAMES: Readonly<Record<string, string>> = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" };

/** Returns the usual spelling of an algorithm. */
export function algorithmName(algorithm: string): string {
  return ALGORITHM_NAMES[algorithm] ?? algorithm;
}

/** Maximum number of issuers in a policy. */
const MAX_POLICY_ISSUERS = 100;
/** Maximum length of each of them; distinguished names are seldom longer than 300. */
const MAX_POLICY_ISSUER_CHARS = 1_000;

/** Maximum number of unknown parameters that a message names. */
const MAX_NAMED_KEYS = 10;

/** Maximum number of algorithms in a policy, and maximum length of a name. */
const [MAX_ALGORITHMS, MAX_ALGORITHM_CHARS] = [50, 100];

function expects(expected: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: ({ input }): string => {
      if (input === undefined) return "This field is required.";
      if (input === null) return "This field may not be null.";
      return `${expected}, not ${clip(JSON.stringify(input) ?? "undefined")}.`;
    },
  };
}

/** Defines an object with these members; others are refused. */
export function parametersOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  const known = names.length === 0
    ? "This type of policy takes no parameters."
    : `Expected ${names.join(" and ")}.`;
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `Unknown parameter ${issue.keys.slice(0, MAX_NAMED_KEYS).map(quoteJson).join(", ")}. ${known}`
        : "Expected an object.",
  });
}

/** Defines a whole number within limits. `description` is for the API document. */
export function wholeNumber(
  { min, max, description }: { min: number; max: number; description: string },
): z.ZodType<number> {
  const message = expects(`Expected a whole number from ${min} to ${max}`);
  return z.number(message).refine(
    (number) => Number.isSafeInteger(number) && number >= min && number <= max,
    message,
  ).meta({ description });
}

/** Defines a list of at least one algorithm of keys or signatures, by any name. */
export function algorithmList(): z.ZodType<string[]> {
  return textList({
    max: MAX_ALGORITHMS,
    maxChars: MAX_ALGORITHM_CHARS,
    expected: "Expected a list of algorithms",
    empty: issue("expected_some", { thing: "algorithm" }),
    description:
      "Algorithms of keys (`rsa`, `dsa`, `P-256`, `unknown`) and hashes of signatures (`sha1`, `md5`).",
  });
}

/** Defines a list of codes of findings; it may be empty. */
export function codeList(): z.ZodType<string[]> {
  return choiceList(FINDING_CODES, {
    expected: "Expected a list of codes",
    description: "Findings that a certificate may have.",
  });
}

/** Defines a list of at least one usage. */
export function usageList(description: string): z.ZodType<Usage[]> {
  return choiceList(USAGES, {
    expected: "Expected a list of usages",
    empty: "Expected at least one usage.",
    description,
  });
}

function choiceList<const Choice extends string>(
  choices: readonly Choice[],
  { expected, description, ...options }: { expected: string; description: string; empty?: string },
): z.ZodType<Choice[]> {
  const message = expects(`Expected one of ${choices.join(", ")}`);
  const one = z.string(message).transform((text) => text.trim().toLowerCase()).pipe(z.enum(choices, message));
  return boundedList(one, { max: MAX_CHOICES, ...expects(expected), ...options })
    .transform((given) => [...new Set(given)])
    .meta({ description, choices });
}

/** Defines a list of at least one part of an issuer's name. */
export function issuerList(): z.ZodType<string[]> {
  return textList({
    max: MAX_POLICY_ISSUERS,
    maxChars: MAX_POLICY_ISSUER_CHARS,
    expected: "Expected a list of issuers",
    empty: issue("expected_some", { thing: "issuer" }),
    description: "Parts of the issuers' distinguished names, ignoring case.",
  });
}

/** Defines a list of at least one text. None may be empty, because an empty part matches every name. */
function textList(
  { max, maxChars, expected, empty, description }: {
    max: number;
    maxChars: number;
    expected: string;
    empty: string;
    description: string;
  },
): z.ZodType<string[]> {
  const one = z.string(expects("Expected text")).trim()
    .min(1, { error: issue("blank") })
    .max(maxChars, { error: issue("too_long", { max: maxChars }) })
    .refine((text) => !text.includes("\0"), { error: issue("null_character") })
    .transform((text) => text.toWellFormed());
  return boundedList(one, { max, ...expects(expected), empty })
    .transform((given) => [...new Set(given)])
    .meta({ description });
}

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
  /** Codes of the failures on its path; empty before a validation. */
  readonly chainErrors: readonly string[];
  /** Whether its chain ends in a public root that is not distrusted; null before a validation. */
  readonly publiclyTrusted: boolean | null;
  /** What its authority says, `not_checked` before a check. */
  readonly revocationStatus: string;
  /** Time of the last revocation check. */
  readonly revocationCheckedAt: Millis | null;
  /** The rules for publicly trusted certificates. */
  readonly validityRules: readonly ValidityRule[];
  /** What it may be used for; empty without PEM. */
  readonly usages: readonly Usage[];
  /** Number of signed certificate timestamps in it. */
  readonly scts: number;
  /** What is malformed or unusual in its PEM. */
  readonly findings: readonly CertificateFinding[];
}

/** A finding about a certificate's PEM. */
interface CertificateFinding {
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
  readonly parameters: z.ZodType<Parameters> & { readonly shape: Readonly<Record<string, z.ZodType>> };
  check(
    subject: {
      readonly certificate: CertificateFacts;
      readonly parameters: Parameters;
      readonly now: Millis;
    },
  ): RuleResult;
}

/** Defines a rule; the type of its parameters is inferred from their schema. */
export function defineRule<Type extends string, Parameters>(
  definition: Rule<Parameters> & { readonly type: Type },
): Rule<Parameters> & { readonly type: Type } {
  return definition;
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
