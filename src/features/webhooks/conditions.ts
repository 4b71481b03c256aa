/** Conditions of webhooks: filters that an object must fulfil to be told of. */

import { type Lookup, parseFiltersObject, usesRegex } from "../../lookup/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { WEBHOOK_SUBJECTS } from "./events.ts";
import { snapshotMap } from "./snapshot_map.ts";

/** What conditions mean for objects of one type, or what is wrong with them; each message names the filter. */
export function compileConditions(
  conditions: unknown,
  subject: Resource,
): { readonly lookup: Lookup } | { readonly faults: readonly string[] } {
  const { lookup, errors } = parseFiltersObject(conditions, snapshotMap(subject));
  const faults = Object.entries(errors).flatMap(([key, messages]) =>
    messages.map((message) => key === "__all__" ? message : `“${key}”: ${message}`)
  );
  if (faults.length > 0) return { faults };
  // Every event would be matched, whatever the pattern costs; constraints of permissions take none either.
  return usesRegex(lookup)
    ? {
      faults: [`“${regexKeys(conditions).join("”, “")}”: Regular expressions cannot be used in conditions.`],
    }
    : { lookup };
}

/** What is wrong with conditions that are to hold for all of these object types. */
export function conditionFaults(conditions: unknown, objectTypes: readonly string[]): string[] {
  return WEBHOOK_SUBJECTS.filter((one) => objectTypes.includes(one.objectType)).flatMap((subject) => {
    const result = compileConditions(conditions, subject);
    return "faults" in result ? result.faults.map((fault) => `${subject.objectType}: ${fault}`) : [];
  });
}

/** The filters with regular expressions, at any depth. */
function regexKeys(conditions: unknown): string[] {
  if (Array.isArray(conditions)) return conditions.flatMap(regexKeys);
  if (typeof conditions !== "object" || conditions === null) return [];
  return Object.entries(conditions).flatMap(([key, value]) =>
    /__i?regex$/.test(key) ? [key] : regexKeys(value)
  );
}
