/** Empty states: what to do next. */

import type { Content, Html } from "./html.ts";

/** Renders a message with actions below it. */
export function EmptyState({ text, children }: { text: string; children?: Content }): Html {
  return (
    <div class="empty">
      <p>{text}</p>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}
