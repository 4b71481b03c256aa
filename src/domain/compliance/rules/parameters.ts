/** Schemas of rule parameters. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { MAX_CHOICES } from "../../../base/limits.ts";
import { quoteJson } from "../../../base/quote.ts";
import { FINDING_CODES, type FindingCode } from "../../../x509/mod.ts";
import { clip } from "./wording.ts";

/** Maximum number of issuers in a policy. */
const MAX_POLICY_ISSUERS = 100;
/** Maximum length of each of them; distinguished names are seldom longer than 300. */
const MAX_POLICY_ISSUER_CHARS = 1_000;

/** Maximum number of unknown parameters that a message names. */
const MAX_NAMED_KEYS = 10;

/** The possible algorithms of a certificate. A policy about any other would never match. */
const ALGORITHMS = ["rsa", "ecdsa", "ed25519", "unknown"] as const;

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

/** Defines a list of at least one algorithm, ignoring case. */
export function algorithmList(): z.ZodType<string[]> {
  const message = expects(`Expected one of ${ALGORITHMS.join(", ")}`);
  const one = z.string(message).transform((text) => text.trim().toLowerCase()).pipe(
    z.enum(ALGORITHMS, message),
  );
  return boundedList(one, {
    max: 20,
    ...expects("Expected a list of algorithms"),
    empty: "Expected at least one algorithm.",
  })
    .transform((given) => [...new Set<string>(given)])
    .meta({ description: "Algorithms of public keys.", choices: ALGORITHMS });
}

/** Defines a list of codes of findings; it may be empty. */
export function codeList(): z.ZodType<string[]> {
  const message = expects(`Expected one of ${FINDING_CODES.join(", ")}`);
  const one = z.string(message).transform((text) => text.trim().toLowerCase()).pipe(
    z.enum(FINDING_CODES as [FindingCode, ...FindingCode[]], message),
  );
  return boundedList(one, { max: MAX_CHOICES, ...expects("Expected a list of codes") })
    .transform((given) => [...new Set<string>(given)])
    .meta({ description: "Findings that a certificate may have.", choices: FINDING_CODES });
}

/**
 * Defines a list of at least one part of an issuer's name. None may be empty, because an empty part matches
 * every name.
 */
export function issuerList(): z.ZodType<string[]> {
  const one = z.string(expects("Expected text")).trim()
    .min(1, { error: "This field may not be blank." })
    .max(MAX_POLICY_ISSUER_CHARS, {
      error: `Ensure this field has no more than ${MAX_POLICY_ISSUER_CHARS} characters.`,
    })
    .refine((text) => !text.includes("\0"), { error: "Null characters are not allowed." })
    .transform((text) => text.toWellFormed());
  return boundedList(one, {
    max: MAX_POLICY_ISSUERS,
    ...expects("Expected a list of issuers"),
    empty: "Expected at least one issuer.",
  })
    .transform((given) => [...new Set(given)])
    .meta({ description: "Parts of the issuers' distinguished names, ignoring case." });
}
