/** Effects of a deletion on other objects. */

import type { CountedDependent, DeletionEffect } from "../../resource/mod.ts";
import type { Html } from "../components/mod.ts";

const SENTENCES: Readonly<Record<DeletionEffect, string>> = {
  restrict: "Cannot be deleted while these objects refer to it:",
  delete: "Also deleted:",
  clear: "Kept, but the reference is removed:",
};

/** Renders a list of visible objects for each effect; nothing if there are none. */
export function DeletionEffects({ found }: { found: readonly CountedDependent[] }): Html | null {
  const effects = (["restrict", "delete", "clear"] as const).filter((effect) =>
    found.some((one) => one.effect === effect)
  );
  if (effects.length === 0) return null;
  return (
    <>
      {effects.map((effect) => (
        <>
          <p>{SENTENCES[effect]}</p>
          <ul>
            {found.filter((one) => one.effect === effect).map(({ resource, field, count }) => (
              <li>
                {`${count} ${count === 1 ? resource.label : resource.labelPlural}`}
                {effect === "clear" ? ` (${field.replaceAll("_", " ")})` : ""}
              </li>
            ))}
          </ul>
        </>
      ))}
      <p>Objects you may not view are not counted.</p>
    </>
  );
}
