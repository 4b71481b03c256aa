/** Sentences that explain a value in a table. */

import type { Html } from "../components/mod.ts";

const DAY = /(\d{4}-\d\d-\d\d)/;

/** Renders a sentence; its dates are not divided between lines. */
export function Sentence({ text }: { text: string }): Html {
  return (
    <span class="sentence">
      {text.split(DAY).map((part) => DAY.test(part) ? <span class="whole">{part}</span> : part)}
    </span>
  );
}
