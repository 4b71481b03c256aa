/** A number with its name, as a tile among others. */

import type { Tone } from "./badge.tsx";
import type { Html } from "./html.ts";

/** The number or a word in its place, and what it counts; with `path` the tile leads there. */
export function Tile(
  { title, value, note, path, tone = "plain" }: {
    title: string;
    value: number | string;
    note: string;
    path?: string;
    tone?: Tone;
  },
): Html {
  const name = `card tile ${tone}`;
  const parts = (
    <>
      <span class="tile-title">{title}</span>
      <strong>{typeof value === "number" ? value.toLocaleString("en") : value}</strong>
      <span class="tile-note">{note}</span>
    </>
  );
  return path === undefined ? <div class={name}>{parts}</div> : <a class={name} href={path}>{parts}</a>;
}
