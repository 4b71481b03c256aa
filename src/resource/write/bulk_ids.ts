/** Ids in the bodies of bulk operations. */

import { type Finding, finding, issue } from "../../base/findings.ts";
import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { invalid } from "../../base/errors.ts";
import { expectedError, unexpected } from "../model/fields/messages.ts";

/** Reads the `id` of every object. Errors: invalid for missing, malformed and repeated ids. */
export function bulkIds(input: readonly unknown[]): number[] {
  const seen = new Set<number>();
  const errors: Finding[][] = input.map((body) => {
    const id = typeof body === "object" && body !== null && "id" in body ? body.id : undefined;
    if (id === undefined) return [about(finding("required"))];
    if (typeof id !== "number" || !Number.isSafeInteger(id)) {
      return [about(unexpected("an id", id))];
    }
    if (seen.has(id)) return [about(finding("repeated_id", { id }))];
    seen.add(id);
    return [];
  });
  if (errors.some(({ length }) => length > 0)) throw invalid(errors);
  return [...seen];
}

/** Returns errors that are aligned with the ids, for those that are hidden or missing. */
export function errorsOfMissing(ids: readonly number[], rows: ReadonlyMap<number, unknown>): Finding[][] {
  return ids.map((id) => rows.has(id) ? [] : [about(finding("no_object_with_id", { id }))]);
}

function about(one: Finding): Finding {
  return { ...one, field: "id" };
}

/**
 * Returns the schema of a list of ids in the body of an operation. Each id occurs once, in the given order.
 * @param max Maximum number of ids: a named limit of the operation.
 */
export function idList(max: number): z.ZodType<number[]> {
  return boundedList(z.int(expectedError("an id")), {
    max,
    ...expectedError("a list of ids"),
    empty: issue("expected_some", { thing: "id" }),
    tooMany: (count) => issue("batch_too_large", { max, things: "ids", count }),
  }).transform((ids) => [...new Set(ids)]);
}
