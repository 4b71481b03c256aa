/** The types of policies in words: what they require of a certificate, and what to do about a failure. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import { counted, listText, numberText } from "../../../base/amounts.ts";
import { type Check, type Policy, type PolicyType, ruleOf } from "../../../domain/compliance/mod.ts";
import { chainState } from "../certificates/mod.ts";
import { truncate } from "../../kit/components/mod.ts";
import { capitalized } from "../../messages.ts";

/** The parameters of a policy, with the defaults of its rule. */
/** What {@link chainState} reads of a certificate. */
type ChainOf = Partial<Pick<Certificate, "expiry_status" | "status">>;

type Parameters = Readonly<Record<string, unknown>>;

interface RuleText {
  readonly name: string;
  /** The condition of a failure, for the choice of a type. */
  readonly about: string;
  /** What a policy with these parameters requires, as a sentence. */
  readonly requires: (parameters: Parameters) => string;
  /** Whether that sentence says everything that the expected value of a result says. */
  readonly isSelfContained?: true;
  /** What to do about a failure, and where on the page of the certificate; default: its renewal. */
  readonly fix: string;
  readonly place?: string;
}

/** Number of texts of a list that a sentence names. */
const NAMED = 4;
const NAME_CHARS = 80;
const ALGORITHMS: Readonly<Record<string, string>> = {
  rsa: "RSA",
  ecdsa: "ECDSA",
  ed25519: "Ed25519",
  unknown: "of an unknown algorithm",
};

function valuesText(given: unknown, shown: (text: string) => string, last: "and" | "or"): string {
  const texts = Array.isArray(given) ? given.map(String) : [];
  const others = texts.length - NAMED;
  const named = texts.slice(0, NAMED).map((text) => truncate(shown(text), NAME_CHARS));
  return listText(others > 0 ? [...named, counted(others, "other")] : named, last);
}

function algorithms({ algorithms: given }: Parameters): string {
  return valuesText(given, (one) => ALGORITHMS[one] ?? one, "or");
}

function issuers({ issuers: given }: Parameters): string {
  return valuesText(given, (one) => `“${one}”`, "or");
}

function days(given: unknown): string {
  return counted(Number(given), "day");
}

const RENEW = "Renew it with";

export const RULE_TEXTS: Readonly<Record<PolicyType, RuleText>> = {
  min_key_size: {
    name: "Minimum key size",
    about: "Keys with fewer bits fail.",
    requires: ({ min_bits, min_ec_bits }) =>
      `Keys must have at least ${numberText(Number(min_bits))} bits, elliptic-curve keys at least ${
        numberText(Number(min_ec_bits))
      }.`,
    fix: `${RENEW} a larger key.`,
  },
  max_validity_days: {
    name: "Maximum validity",
    about: "Certificates that are valid for more days fail.",
    requires: ({ max_days }) => `Certificates must be valid for at most ${days(max_days)}.`,
    fix: `${RENEW} a certificate that is valid for fewer days.`,
  },
  algorithm_allowed: {
    name: "Allowed algorithms",
    about: "Keys and signatures of other algorithms fail.",
    requires: (parameters) => `Keys and signatures must be ${algorithms(parameters)}.`,
    fix: `${RENEW} allowed algorithms.`,
  },
  algorithm_forbidden: {
    name: "Forbidden algorithms",
    about: "Keys and signatures of these algorithms fail.",
    requires: (parameters) => `Keys and signatures must not be ${algorithms(parameters)}.`,
    fix: `${RENEW} other algorithms.`,
  },
  expiry_warning: {
    name: "Renewal in time",
    about: "Certificates that expire within some days fail.",
    requires: ({ warning_days }) =>
      `Certificates must be renewed more than ${days(warning_days)} before they expire.`,
    fix: "Renew it.",
  },
  chain_required: {
    name: "Complete chain",
    about: "Certificates without their intermediates, or with an invalid chain, fail.",
    requires: () => "Certificates must have a complete chain, which must be valid.",
    isSelfContained: true,
    fix: "Look at its chain: add the certificates of its issuers, or renew what has expired.",
    place: "#chain",
  },
  san_required: {
    name: "Subject alternative names",
    about: "Certificates with fewer subject alternative names fail.",
    requires: ({ min_count }) =>
      `Certificates must have at least ${
        Number(min_count) === 1
          ? "one subject alternative name"
          : `${numberText(Number(min_count))} subject alternative names`
      }.`,
    fix: `${RENEW} all names as subject alternative names.`,
  },
  wildcard_forbidden: {
    name: "No wildcards",
    about: "Certificates with a wildcard name fail.",
    requires: () => "Names must not contain a wildcard.",
    fix: `${RENEW} the name of each host.`,
  },
  issuer_allowed: {
    name: "Allowed issuers",
    about: "Certificates of other issuers fail.",
    requires: (parameters) => `The name of the issuer must contain ${issuers(parameters)}.`,
    fix: `${RENEW} a certificate of an allowed issuer.`,
  },
  issuer_forbidden: {
    name: "Forbidden issuers",
    about: "Certificates of these issuers fail.",
    requires: (parameters) => `The name of the issuer must not contain ${issuers(parameters)}.`,
    fix: `${RENEW} a certificate of another issuer.`,
  },
  no_findings: {
    name: "No findings",
    about: "Certificates that are malformed or unusual fail.",
    requires: ({ allowed_codes: given }) => {
      const allowed = valuesText(given, (code) => code.replaceAll("_", " "), "and");
      return `Certificates must have no findings${allowed === "" ? "" : ` except ${allowed}`}.`;
    },
    fix: "Ask its issuer for a certificate without these findings, then renew it.",
  },
};

/** Returns what a policy requires as a sentence. */
export function requirementOf(
  { policy_type: type, parameters }: Partial<Pick<Policy, "policy_type" | "parameters">>,
): string {
  const text = textOf(type);
  if (text === undefined) return String(type);
  // Policies without a parameter have its default.
  const read = ruleOf(type)?.parameters.safeParse(parameters);
  return read?.success ? text.requires(read.data) : text.about;
}

/** Types whose results have codes as values, such as `invalid_signature`. */
const CODED: readonly unknown[] = ["chain_required", "no_findings"] satisfies readonly PolicyType[];

/** Returns the value that a check of a type found, in words: `826 days`. */
export function foundText(
  type: unknown,
  { checked_value: value, message }: Pick<Check, "checked_value" | "message">,
  certificate: ChainOf | undefined,
): string {
  const text = type === "chain_required" && value === "expired" && certificate !== undefined
    ? chainState(value, certificate).value
    : (value || message);
  return CODED.includes(type) ? text.replaceAll("_", " ") : text;
}

/** Returns the message of a check without the words that its row has already: `Expires in 8 days, on 2026-12-04.` */
export function briefMessage(
  { message = "" }: Partial<Pick<Check, "message">>,
  certificate: ChainOf | undefined,
): string {
  const [, status] = /^The chain is not valid: (.+)\.$/.exec(message) ?? [];
  if (status !== undefined) return `Chain: ${chainState(status, certificate ?? {}).value}`;
  const [beginning = ""] = /^The certificate (?:is )?/.exec(message) ?? [];
  return beginning === "" ? message : capitalized(message.slice(beginning.length));
}

/** Returns the texts of a type; undefined for an unknown one. */
export function textOf(type: unknown): RuleText | undefined {
  return Object.hasOwn(RULE_TEXTS, String(type)) ? RULE_TEXTS[type as PolicyType] : undefined;
}
