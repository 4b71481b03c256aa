/** Schemas of lists that check the length before any element. */

import { issue } from "./findings.ts";
import { z } from "zod";

/** The limits of a list, and their messages. */
export interface ListRule {
  /** Maximum number of elements. */
  readonly max: number;
  /** Message for a value that is not a list. */
  readonly error: string | ((issue: { input?: unknown }) => string);
  /** Message for an empty list. If absent, empty lists are valid. */
  readonly empty?: string;
  /** Returns the message for a list with `count` elements, which is too long. */
  readonly tooMany?: (count: number) => string;
}

/** Returns the schema of a list of `element`s. If it is too long, its elements are not read. */
export function boundedList<Element>(element: z.ZodType<Element>, rule: ListRule): z.ZodType<Element[]> {
  const { max, error, empty, tooMany = (): string => issue("too_many_elements", { max }) } = rule;
  const list = z.array(element, { error }).max(max);
  // Not a check on the list schema, because such checks run after those of the elements, each of which adds a
  // message.
  return z.preprocess((given, context) => {
    if (!Array.isArray(given) || given.length <= max) return given;
    context.addIssue({ code: "custom", message: tooMany(given.length) });
    return z.NEVER;
  }, empty === undefined ? list : list.min(1, { error: empty }));
}

/**
 * Returns whether texts have at most `max` characters together. One that is too long by itself is reported by
 * its own schema.
 */
export function fitTogether(texts: readonly string[], max: number): boolean {
  return texts.some((text) => text.length > max) || texts.reduce((sum, { length }) => sum + length, 0) <= max;
}
