/** Properties of an object: names and values. */

import type { Content, Html } from "./html.ts";

/** Renders a list of properties. */
export function PropertyList({ children }: { children: Content }): Html {
  return <dl class="facts">{children}</dl>;
}

/** Renders a property; a dash if it has no value. */
export function Property(
  { name, help, children }: { name: string; help?: string; children?: Content },
): Html {
  const nothing = children === undefined || children === null || children === "";
  return (
    <div>
      <dt title={help}>{name}</dt>
      <dd>{nothing ? <span class="faint">–</span> : children}</dd>
    </div>
  );
}
