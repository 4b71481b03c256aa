/** Limits the names and notes that one request writes. */

import { AppError } from "../../base/errors.ts";
import { MAX_WRITTEN_CHARS, USUAL_NAME_CHARS } from "../../base/limits.ts";
import { isDictionary } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";

/**
 * Refuses objects whose names and notes are too large together: bodies before they are parsed, rows before they are
 * stored, because a PEM text fills some of them. Errors: too_large.
 */
export function limitLongTexts({ fields }: Resource, objects: readonly unknown[]): void {
  const names = Object.values(fields).filter((field) => field.large).map(({ name }) => name);
  let chars = 0;
  for (const object of objects) {
    if (!isDictionary(object)) continue;
    const own = names.reduce((sum, name) => sum + charsOf(object[name]), 0);
    chars += Math.max(0, own - USUAL_NAME_CHARS);
  }
  if (chars <= MAX_WRITTEN_CHARS) return;
  throw new AppError(
    "too_large",
    `The texts (${names.join(", ")}) of these objects have ${chars} characters together, besides the first ` +
      `${USUAL_NAME_CHARS} of each object; one request may write at most ${MAX_WRITTEN_CHARS}. Send fewer objects in ` +
      "one request.",
  );
}

function charsOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + charsOf(one), 0);
  return typeof value === "string" ? value.length : 0;
}
