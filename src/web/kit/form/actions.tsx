/** What is around a form: its first button, starting points, and a secret that is shown once. */

import { Copyable, type Html } from "../components/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { listPath } from "../../paths.ts";
import { searchOf } from "../list/read_list.ts";

/** Renders the hidden button that Enter in a field activates, for forms whose first visible button is a search. */
export function FirstButton(): Html {
  return <button type="submit" class="hidden" tabindex={-1} aria-hidden="true">Go</button>;
}

/** A starting point. */
export interface FormPreset {
  readonly title: string;
  readonly about: string;
  /** Values of fields, by name. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** Renders a card for each preset. */
export function PresetLinks(
  { resource, presets }: { resource: Resource; presets: readonly FormPreset[] },
): Html {
  return (
    <section aria-labelledby="presets">
      <h2 id="presets">Start from</h2>
      <ul class="choose">
        {presets.map((preset) => (
          <li>
            <a href={`${listPath(resource)}new/?${searchOf(preset.values)}`}>
              {preset.title}
            </a>
            <small>{preset.about}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Renders the secret, its purpose, and a link to continue; `open` is a URL that opens the secret in a program. */
export function OneTimeSecret(
  { text, label, use, to, open }: {
    text: string;
    label: string;
    use: string;
    to: string;
    open?: readonly [label: string, address: string];
  },
): Html {
  return (
    <section>
      <p>Copy this now: it is not shown again. Store it like a password.</p>
      <Copyable text={text} label={label} oneLine />
      <p>{use}</p>
      <p>
        {open === undefined ? null : <a href={open[1]} role="button" class="secondary">{open[0]}</a>}{" "}
        <a href={to} role="button">Continue</a>
      </p>
    </section>
  );
}
