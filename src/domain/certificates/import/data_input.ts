/** Reads what a call says about a document of metadata, beside the document itself. */

import type { FieldErrors } from "../../../base/errors.ts";
import { quote, refusePrivateKeys, REQUIRED } from "../../../resource/mod.ts";

/** A finding about one cell, or about a row as a whole; row 0 is the document. */
export interface DataError {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** A call: the document as text, or as the list that it would be in JSON. */
export interface DataInput {
  readonly source: string | readonly unknown[];
  readonly format: "auto" | "csv" | "json";
  readonly onDuplicate: "error" | "skip";
}

const POLICIES = ["error", "skip"] as const;

/**
 * Reads `format`, `on_duplicate` and the document, which stands under `field`; null is the same as absent.
 * @param formats that may be named; the first is the one that is meant when none is.
 */
export function readDataInput(
  input: unknown,
  { field, formats, lists }: {
    field: string;
    formats: readonly DataInput["format"][];
    /** Whether the document may be a list; else it is text. */
    lists: boolean;
  },
): DataInput | DataError[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return [{ row: 0, field, message: `Expected an object with ${field}, not ${quote(input)}.` }];
  }
  const { [field]: document, ...given } = input as Record<string, unknown>;
  const errors = keysIn(given);
  if (errors.length > 0) return errors;
  const source = document ?? undefined;
  const readable = typeof source === "string" || (lists && Array.isArray(source));
  if (!readable) {
    const wanted = `Expected ${lists ? "a list of objects, or " : ""}text, not ${quote(source)}.`;
    errors.push({ row: 0, field, message: source === undefined ? REQUIRED : wanted });
  }
  const format = readChoice(given, { name: "format", choices: formats, errors });
  const onDuplicate = readChoice(given, { name: "on_duplicate", choices: POLICIES, errors });
  if (!readable || errors.length > 0) return errors;
  return { source: source as DataInput["source"], format, onDuplicate };
}

/** Private keys beside the document; its own reader looks for those within. */
function keysIn(given: Record<string, unknown>): DataError[] {
  const errors: FieldErrors = {};
  refusePrivateKeys(given, errors);
  return Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => ({ row: 0, field, message }))
  );
}

function readChoice<Choice extends string>(
  given: Readonly<Record<string, unknown>>,
  { name, choices, errors }: { name: string; choices: readonly Choice[]; errors: DataError[] },
): Choice {
  const value = given[name] ?? choices[0];
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  errors.push({
    row: 0,
    field: name,
    message: `Expected one of ${choices.join(", ")}, not ${quote(value)}.`,
  });
  return choices[0] as Choice;
}
