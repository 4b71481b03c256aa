/** The ids of a bulk call on a collection, and the errors about them. */

import { z } from "zod";
import { type FieldErrors, invalid } from "../../base/errors.ts";
import { quote, REQUIRED } from "../model/fields/messages.ts";

/** Reads `id` of every object; refuses missing, malformed and repeated ones. */
export function bulkIds(input: readonly unknown[]): number[] {
  const seen = new Set<number>();
  const errors: FieldErrors[] = input.map((body) => {
    const id = typeof body === "object" && body !== null ? (body as Record<string, unknown>).id : undefined;
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

/** Errors aligned with the ids, for those that no row stands for; hidden is the same as absent. */
export function missing(ids: readonly number[], rows: ReadonlyMap<number, unknown>): FieldErrors[] {
  return ids.map((id): FieldErrors => rows.has(id) ? {} : { id: [`No object with the id ${id} was found.`] });
}

/** What {@link readIdList} reads, for the API document. */
export function idList(max: number): z.ZodType<number[]> {
  return z.array(z.int()).min(1).max(max);
}

/**
 * Reads a list of ids under a name of the body; each id once, in the order given. Errors: invalid.
 * @param max ids at the most: a named limit of the call.
 */
export function readIdList(body: unknown, { field, max }: { field: string; max: number }): number[] {
  const given = typeof body === "object" && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)[field]
    : undefined;
  if (given === undefined) throw invalid({ [field]: [REQUIRED] });
  if (!Array.isArray(given)) throw invalid({ [field]: [`Expected a list of ids, not ${quote(given)}.`] });
  if (given.length === 0) throw invalid({ [field]: ["Expected at least one id."] });
  if (given.length > max) {
    throw invalid({ [field]: [`Batch too large: expected at most ${max} ids, not ${given.length}.`] });
  }
  const wrong = given.find((id) => typeof id !== "number" || !Number.isSafeInteger(id));
  if (wrong !== undefined) throw invalid({ [field]: [`Expected ids, not ${quote(wrong)}.`] });
  return [...new Set(given as number[])];
}
