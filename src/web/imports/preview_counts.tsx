/** What would become of a preview's rows, or what became of them, in numbers. */

import type { PreviewHead } from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html } from "../components/mod.ts";

/** Badges, one for each outcome that there is. */
export function PreviewCounts({ preview: { counts, confirmed } }: { preview: PreviewHead }): Html {
  return (
    <span class="counts">
      {counts.create === 0
        ? null
        : <Badge value={`${text(counts.create)} ${confirmed === null ? "new" : "imported"}`} tone="good" />}
      {counts.skip === 0 ? null : <Badge value={`${text(counts.skip)} skipped`} tone="info" />}
      {counts.error === 0 ? null : <Badge value={`${text(counts.error)} with errors`} tone="bad" />}
    </span>
  );
}

function text(count: number): string {
  return count.toLocaleString("en");
}
