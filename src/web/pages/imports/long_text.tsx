/** Shows long texts and texts in any direction. */

import { numberText } from "../../../base/amounts.ts";
import { type Html, truncate } from "../../kit/components/mod.ts";

/** Maximum number of characters of a text. */
const MAX_CHARS = 300;
/** Maximum number of names of a list. */
const SHOWN_NAMES = 20;

/** Renders a text or a list of names, truncated. */
export function Names({ text, list }: { text?: string; list?: readonly string[] }): Html {
  if (list === undefined) return <bdi>{cut(text ?? "")}</bdi>;
  const rest = list.length - SHOWN_NAMES;
  return (
    <ul class="names">
      {list.slice(0, SHOWN_NAMES).map((name) => (
        <li>
          <bdi>{cut(name)}</bdi>
        </li>
      ))}
      {rest > 0 ? <li class="faint">and {numberText(rest)} more</li> : null}
    </ul>
  );
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${truncate(text, MAX_CHARS)} (${numberText(text.length)} characters)`;
}
