/** Schemas of rule parameters. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { MAX_CHOICES } from "../../../base/limits.ts";
import { quoteJson } from "../../../base/quote.ts";
import { FINDING_CODES } from "../../../x509/mod.ts";
import { clip } from "./wording.ts";

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
    empty: "Expected at least one algorithm.",
    description:
      "Algorithms of keys (`rsa`, `dsa`, `P-256`, `unknown`) and hashes of signatures (`sha1`, `md5`).",
  });
}

/** Defines a list of codes of findings; it may be empty. */
export function codeList(): z.ZodType<string[]> {
  const message = expects(`Expected one of ${FINDING_CODES.join(", ")}`);
  const one = z.string(message).transform((text) => text.trim().toLowerCase()).pipe(
    z.enum(FINDING_CODES, message),
  );
  return boundedList(one, { max: MAX_CHOICES, ...expects("Expected a list of codes") })
    .transform((given) => [...new Set<string>(given)])
    .meta({ description: "Findings that a certificate may have.", choices: FINDING_CODES });
}

/** Defines a list of at least one part of an issuer's name. */
export function issuerList(): z.ZodType<string[]> {
  return textList({
    max: MAX_POLICY_ISSUERS,
    maxChars: MAX_POLICY_ISSUER_CHARS,
    expected: "Expected a list of issuers",
    empty: "Expected at least one issuer.",
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
    .min(1, { error: "This field may not be blank." })
    .max(maxChars, { error: `Ensure this field has no more than ${maxChars} characters.` })
    .refine((text) => !text.includes("\0"), { error: "Null characters are not allowed." })
    .transform((text) => text.toWellFormed());
  return boundedList(one, { max, ...expects(expected), empty })
    .transform((given) => [...new Set(given)])
    .meta({ description });
}
