/** Texts of certificates, however long and in whatever direction they are written. */

import { type Html, truncate } from "../components/mod.ts";

/** Characters of a text that stand in a page. */
const MAX_CHARS = 300;
/** Names of a list that do. */
const MAX_NAMES = 20;

/** A text, or a list of names, cut where it is long. */
export function Names({ text, list }: { text?: string; list?: readonly string[] }): Html {
  if (list === undefined) return <bdi>{cut(text ?? "")}</bdi>;
  const rest = list.length - MAX_NAMES;
  return (
    <ul class="names">
      {list.slice(0, MAX_NAMES).map((name) => (
        <li>
          <bdi>{cut(name)}</bdi>
        </li>
      ))}
      {rest > 0 ? <li class="faint">and {rest.toLocaleString("en")} more</li> : null}
    </ul>
  );
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  return `${truncate(text, MAX_CHARS)} (${text.length.toLocaleString("en")} characters)`;
}
