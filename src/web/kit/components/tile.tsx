/** Numbers: tiles with a label, and links to what a number counts. */

import { numberText } from "../../../base/amounts.ts";
import type { Tone } from "./badge.tsx";
import type { Html } from "./html.ts";
import { Joined } from "./joined.tsx";

/** Renders a number or a short text with its label; with `path` it is a link. */
export function Tile(
  { title, value, note, path, tone = "plain" }: {
    title: string;
    value: number | string;
    note: string | Html;
    path?: string;
    tone?: Tone;
  },
): Html {
  const name = `card tile ${tone}`;
  const parts = (
    <>
      <span class="tile-title">{title}</span>
      <strong>{typeof value === "number" ? numberText(value) : value}</strong>
      <span class="tile-note">{note}</span>
    </>
  );
  return path === undefined ? <div class={name}>{parts}</div> : <a class={name} href={path}>{parts}</a>;
}

/** Renders the sum of several numbers; each links to its objects. */
export function NumbersTile(
  { title, note, numbers, tone = "plain" }: {
    title: string;
    note: string;
    numbers: readonly { readonly value: number; readonly label: string; readonly path: string }[];
    tone?: Tone;
  },
): Html {
  return (
    <div class={`card tile numbers ${tone}`}>
      <span class="tile-title">{title}</span>
      <strong>{numberText(numbers.reduce((sum, { value }) => sum + value, 0))}</strong>
      <span class="tile-note">
        {note}:{" "}
        <Joined
          items={numbers.map(({ value, label, path }) => <a href={path}>{numberText(value)} {label}</a>)}
        />
      </span>
    </div>
  );
}

/** Renders a number as a link to the list that it counts; nothing for an unknown one. */
export function CountLink(
  { number, path, tone }: { number: number | null | undefined; path: string; tone?: Tone | undefined },
): Html | null {
  if (number === undefined || number === null) return null;
  if (number === 0) return <span class="faint">0</span>;
  return <a href={path} class={tone === undefined ? undefined : `badge ${tone}`}>{numberText(number)}</a>;
}
