/** The types of policies in words: what they require of a certificate, and what to do about a failure. */

import { counted, listText, numberText } from "../../../base/amounts.ts";
import { type Policy, POLICY_TYPES, type PolicyType, ruleOf } from "../../../domain/compliance/mod.ts";
import { truncate } from "../../kit/components/mod.ts";

/** The parameters of a policy, with the defaults of its rule. */
type Parameters = Readonly<Record<string, unknown>>;

interface RuleText {
  readonly name: string;
  /** The condition of a failure, for the choice of a type. */
  readonly about: string;
  /** What a policy with these parameters requires, as a sentence. */
  readonly requires: (parameters: Parameters) => string;
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

function usages({ usages: given }: Parameters): string {
  return valuesText(given, (one) => one.replaceAll("_", " "), "or");
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
  usage_allowed: {
    name: "Allowed usages",
    about: "Certificates that may be used for anything else fail.",
    requires: (parameters) => `Certificates may be used only for ${usages(parameters)}.`,
    fix: `${RENEW} a certificate for allowed usages only.`,
  },
  usage_forbidden: {
    name: "Forbidden usages",
    about: "Certificates that may be used for one of these fail.",
    requires: ({ publicly_trusted_only: isPublic, ...parameters }) =>
      `${isPublic === false ? "C" : "Publicly trusted c"}ertificates must not be usable for ${
        usages(parameters)
      }.`,
    fix: `${RENEW} a certificate without this usage.`,
  },
  signature_forbidden: {
    name: "Forbidden signatures",
    about: "Certificates with a signature of these algorithms fail.",
    requires: (parameters) => `Signatures must not be ${algorithms(parameters)}.`,
    fix: `${RENEW} a signature of another algorithm.`,
  },
  not_distrusted: {
    name: "Nothing distrusted",
    about: "Certificates with a distrusted key, certificate or root on their path fail.",
    requires: () => "No key, certificate or root on the path may be distrusted.",
    fix: `${RENEW} a certificate of another authority.`,
    place: "#chain",
  },
  not_revoked: {
    name: "Not revoked",
    about: "Certificates that are revoked, or for which no recent check says otherwise, fail.",
    requires: ({ max_age_days: days }) =>
      `A check in the last ${counted(Number(days), "day")} must say that the certificate is not revoked.`,
    fix: `${RENEW} a certificate that is not revoked.`,
    place: "#revocation",
  },
  rules_in_force: {
    name: "Rules in force",
    about: "Publicly trusted certificates that break a rule of their day of issue fail.",
    requires: () => "Publicly trusted certificates must keep the rules of the day on which they were issued.",
    fix: `${RENEW} a certificate that keeps the rules in force.`,
  },
  scts_present: {
    name: "Signed certificate timestamps",
    about: "Publicly trusted server certificates with fewer timestamps fail.",
    requires: ({ min }) =>
      `Publicly trusted server certificates must have at least ${min} signed timestamps.`,
    fix: `${RENEW} a certificate that is logged.`,
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

/** Returns the texts of a type; undefined for an unknown one. */
export function textOf(type: unknown): RuleText | undefined {
  const name = POLICY_TYPES.find((one) => one === type);
  return name && RULE_TEXTS[name];
}
