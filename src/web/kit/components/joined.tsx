/** Lists within a sentence. */

import { numberText } from "../../../base/amounts.ts";
import type { Content, Html } from "./html.ts";

/** Renders items with a separator between them, and the number of others that are not shown. */
export function Joined(
  { items, separator = ", ", last = separator, others = 0 }: {
    items: readonly Content[];
    separator?: string;
    /** The separator before the last item. */
    last?: string;
    others?: number;
  },
): Html {
  return (
    <>
      {items.map((item, index) => (
        <>
          {index === 0 ? "" : index === items.length - 1 ? last : separator}
          {item}
        </>
      ))}
      {others > 0 ? ` and ${numberText(others)} more` : ""}
    </>
  );
}
