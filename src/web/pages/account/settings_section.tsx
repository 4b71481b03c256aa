/** A section of the profile: what it is about, next to its controls. */

import type { Content, Html } from "../../kit/components/mod.ts";

/** Renders the heading with an explanation, and the content next to it on wide screens. */
export function SettingsSection(
  { id, title, about, children }: { id: string; title: string; about: string; children?: Content },
): Html {
  return (
    <section class="setting" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        <p class="faint">{about}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}
