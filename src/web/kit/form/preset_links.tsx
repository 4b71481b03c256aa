/** Starting points for the form of a new object: links that fill in its fields. */

import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import type { Html } from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { searchOf } from "../list/read_list.ts";
import { nounOf } from "../../type_label.ts";

/** A starting point. */
export interface FormPreset {
  readonly title: string;
  readonly about: string;
  /** Values of fields, by name. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** Parameter with the number of the preset that a form was filled from. */
const PRESET = "preset";

/** Renders a card for each preset, or a note about the one that the form was filled from. */
export function PresetLinks(
  { call, resource, presets }: { call: Call; resource: Resource; presets: readonly FormPreset[] },
): Html {
  const used = presets[Number(call.query.get(PRESET) ?? "-1")];
  if (used !== undefined) {
    return (
      <div class="flash info" role="status">
        <div>
          <p>
            Filled in: {used.title}. Complete the form, then create the {nounOf(resource)}.{" "}
            <a href={`${listPath(resource)}new/`}>Start over</a>
          </p>
        </div>
      </div>
    );
  }
  return (
    <section aria-labelledby="presets">
      <h2 id="presets">Start from</h2>
      <ul class="choose">
        {presets.map((preset, index) => (
          <li>
            <a href={`${listPath(resource)}new/?${searchOf({ [PRESET]: index, ...preset.values })}`}>
              {preset.title}
            </a>
            <small>{preset.about}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
