/** From a request body to parsed field values, with every error of every field. */

import type { z } from "zod";
import { addError, type FieldErrors } from "../base/errors.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../x509/mod.ts";
import type { Given, Resource } from "./definition.ts";
import { quote, REQUIRED } from "./fields/messages.ts";

/** Parsed values by field, and what was wrong. */
export type Parsed = Given;

/**
 * Reads one object. Unknown and read-only fields are ignored; absent optional fields take their fallback on create.
 * @param mode `create` and `replace` need all required fields; `create` also fills in fallbacks.
 */
export function parseObject(resource: Resource, body: unknown, mode: "create" | "replace" | "patch"): Parsed {
  const input: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    addError(errors, "__all__", `Expected an object, not ${quote(body)}.`);
    return { input, errors, reveal: {} };
  }
  const given = body as Record<string, unknown>;
  refusePrivateKeys(given, errors);
  for (const field of Object.values(resource.fields)) {
    if (field.input === undefined || Object.hasOwn(errors, field.name)) continue;
    if (!Object.hasOwn(given, field.name)) {
      if (field.required && mode !== "patch") addError(errors, field.name, REQUIRED);
      else if (mode === "create" && field.fallback !== undefined) input[field.name] = field.fallback;
      continue;
    }
    const result = field.input.safeParse(given[field.name]);
    if (result.success) input[field.name] = result.data;
    else errors[field.name] = issueMessages(result.error);
  }
  return { input, errors, reveal: {} };
}

/** One message an issue; issues inside a list or an object name their place. */
export function issueMessages(error: z.ZodError): string[] {
  const messages = error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`
  );
  return [...new Set(messages)];
}

/** Private keys are refused in whatever field they come, known or not. */
export function refusePrivateKeys(given: Record<string, unknown>, errors: FieldErrors): void {
  for (const [name, value] of Object.entries(given)) {
    if (anyText(value, holdsPrivateKey)) addError(errors, name, PRIVATE_KEY_MESSAGE);
  }
}

/** Whether a text anywhere in a value, names of nested members included, fulfils `test`. */
function anyText(value: unknown, test: (text: string) => boolean): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") {
      if (test(next)) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else if (typeof next === "object" && next !== null) {
      for (const [key, item] of Object.entries(next)) open.push(key, item);
    }
  }
  return false;
}
