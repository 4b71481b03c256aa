/** Ids in the bodies of bulk operations. */

import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { type FieldErrors, invalid } from "../../base/errors.ts";
import { expectedError, quote, REQUIRED } from "../model/fields/messages.ts";

/** Reads the `id` of every object. Errors: invalid for missing, malformed and repeated ids. */
export function bulkIds(input: readonly unknown[]): number[] {
  const seen = new Set<number>();
  const errors: FieldErrors[] = input.map((body) => {
    const id = typeof body === "object" && body !== null && "id" in body ? body.id : undefined;
    if (id === undefined) return { id: [REQUIRED] };
    if (typeof id !== "number" || !Number.isSafeInteger(id)) {
      return { id: [`Expected an id, not ${quote(id)}.`] };
    }
    if (seen.has(id)) return { id: [`The id ${id} is in the list twice.`] };
    seen.add(id);
    return {};
  });
  if (errors.some((one) => one.id !== undefined)) throw invalid(errors);
  return [...seen];
}

/** Returns errors that are aligned with the ids, for those that are hidden or missing. */
export function errorsOfMissing(ids: readonly number[], rows: ReadonlyMap<number, unknown>): FieldErrors[] {
  return ids.map((id): FieldErrors => rows.has(id) ? {} : { id: [`No object with the id ${id} was found.`] });
}

/**
 * Returns the schema of a list of ids in the body of an operation. Each id occurs once, in the given order.
 * @param max Maximum number of ids: a named limit of the operation.
 */
export function idList(max: number): z.ZodType<number[]> {
  return boundedList(z.int(expectedError("Expected an id")), {
    max,
    ...expectedError("Expected a list of ids"),
    empty: "Expected at least one id.",
    tooMany: (count) => `Batch too large: expected at most ${max} ids, not ${count}.`,
  }).transform((ids) => [...new Set(ids)]);
}
