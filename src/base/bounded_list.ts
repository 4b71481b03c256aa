/** Lists in bodies: refused by their length before any element is looked at. */

import { z } from "zod";

/** What a list must be. */
export interface ListRule {
  /** Elements at the most. */
  readonly max: number;
  /** What is said of a value that is no list. */
  readonly error: string | ((issue: { input?: unknown }) => string);
  /** What is said of an empty list, where that is not allowed. */
  readonly empty?: string;
  /** What is said of a list of `count` elements that is too long. */
  readonly tooMany?: (count: number) => string;
}

/** A list of `element`s. Of one that is too long nothing else is said, and it costs nothing. */
export function boundedList<Element>(element: z.ZodType<Element>, rule: ListRule): z.ZodType<Element[]> {
  const { max, error, empty, tooMany = (): string => `Ensure this field has no more than ${max} elements.` } =
    rule;
  const list = z.array(element, { error: error as string }).max(max);
  // Not as a check of the list itself: those come after its elements, each of which adds a message.
  return z.preprocess((given, context) => {
    if (!Array.isArray(given) || given.length <= max) return given;
    context.addIssue({ code: "custom", message: tooMany(given.length) });
    return z.NEVER;
  }, empty === undefined ? list : list.min(1, { error: empty })) as unknown as z.ZodType<Element[]>;
}
