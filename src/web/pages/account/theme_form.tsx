/** The choice of light or dark pages. */

import type { Call } from "../../call.ts";
import { Form, type Html } from "../../kit/components/mod.ts";

const THEMES = [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]] as const;

/** Renders a button for each theme; the current one is pressed. */
export function ThemeForm({ call }: { call: Call }): Html {
  return (
    <Form call={call} action="/theme/" class="box">
      <input type="hidden" name="next" value="/profile/#display" />
      <span class="label" id="theme">Theme</span>
      <div class="themes" role="group" aria-labelledby="theme">
        {THEMES.map(([value, label]) => (
          <button
            type="submit"
            name="theme"
            value={value}
            class="secondary"
            aria-pressed={call.theme === value ? "true" : "false"}
          >
            {label}
          </button>
        ))}
      </div>
    </Form>
  );
}
