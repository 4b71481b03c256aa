/** Text with a button that copies it. A script shows the button. */

import type { Html } from "./html.ts";
import { Icon } from "./icon.tsx";
import { BreakableName } from "./name.tsx";

/** Renders a long text in a box with a button that copies it. `worded`: the box is low, and the button is below it and has words. */
export function Copyable(
  { text, label, oneLine, worded }: { text: string; label: string; oneLine?: boolean; worded?: boolean },
): Html {
  return (
    <div class={oneLine ? "copyable line" : worded ? "copyable worded" : "copyable"}>
      <pre
        tabindex={0}
        aria-label={label}
        data-copy-source
      >{oneLine ? <BreakableName text={text} /> : text}</pre>
      <button
        type="button"
        class={worded ? "secondary small" : "plain"}
        data-copy
        hidden
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
      >
        <Icon name="copy" />
        {worded ? `Copy ${label}` : null}
      </button>
    </div>
  );
}
