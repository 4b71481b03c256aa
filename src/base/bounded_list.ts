/** Schemas of lists that check the length before any element. */

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
  const { max, error, empty, tooMany = (): string => `Ensure this field has no more than ${max} elements.` } =
    rule;
  const list = z.array(element, { error }).max(max);
  // Not a check on the list schema, because such checks run after those of the elements, each of which adds a
  // message.
  return z.preprocess((given, context) => {
    if (!Array.isArray(given) || given.length <= max) return given;
    context.addIssue({ code: "custom", message: tooMany(given.length) });
    return z.NEVER;
  }, empty === undefined ? list : list.min(1, { error: empty }));
}
