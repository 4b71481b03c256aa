/** A choice between a few views of the same data. */

import type { Html } from "./html.ts";

/** Renders a link for each choice. */
export function Choice(
  { label, choices, chosen }: {
    label: string;
    choices: readonly { readonly name: string; readonly label: string; readonly path: string }[];
    chosen: string;
  },
): Html {
  return (
    <nav class="choice" aria-label={label}>
      {choices.map(({ name, label, path }) => (
        <a href={path} aria-current={name === chosen ? "true" : undefined}>{label}</a>
      ))}
    </nav>
  );
}
