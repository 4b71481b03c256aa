/** Numbers that link to the list that they count. */

import { numberText } from "../../base/amounts.ts";
import type { Tone } from "./badge.tsx";
import type { Html } from "./html.ts";

/** Renders a number as a link to the list that it counts; nothing for an unknown one. */
export function CountLink(
  { number, path, tone }: { number: number | null | undefined; path: string; tone?: Tone | undefined },
): Html | null {
  if (number === undefined || number === null) return null;
  if (number === 0) return <span class="faint">0</span>;
  return <a href={path} class={tone === undefined ? undefined : `badge ${tone}`}>{numberText(number)}</a>;
}
