/** The selected objects, on pages that ask for confirmation. */

import type { AnyObject } from "../../../resource/mod.ts";
import { numberText } from "../../../base/amounts.ts";
import type { Html } from "../components/mod.ts";
import { ObjectLink } from "../detail/value.tsx";

/** Number of objects that are named. */
const SHOWN = 20;

/** Renders links to the first objects, and the number of further ones. */
export function ObjectNames({ objects }: { objects: readonly Pick<AnyObject, "url" | "display">[] }): Html {
  return (
    <ul>
      {objects.slice(0, SHOWN).map((brief) => (
        <li>
          <ObjectLink brief={brief} />
        </li>
      ))}
      {objects.length > SHOWN ? <li>and {numberText(objects.length - SHOWN)} more</li> : null}
    </ul>
  );
}
