/** Counts of a preview's rows by result. */

import type { PreviewHead } from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html } from "../components/mod.ts";

/** Renders a badge for each result. */
export function PreviewCounts(
  { preview: { counts, confirmed, errors } }: { preview: PreviewHead },
): Html {
  // Results of rows are not final before all columns are known.
  if (errors.length > 0) {
    return (
      <Badge
        value={`${text(errors.length)} ${errors.length === 1 ? "problem" : "problems"} with columns`}
        tone="bad"
      />
    );
  }
  return (
    <span class="counts">
      {counts.create === 0
        ? null
        : <Badge value={`${text(counts.create)} ${confirmed === null ? "new" : "imported"}`} tone="good" />}
      {counts.update === 0 ? null : (
        <Badge
          value={`${text(counts.update)} ${confirmed === null ? "to update" : "updated"}`}
          tone="good"
        />
      )}
      {counts.unchanged === 0 ? null : <Badge value={`${text(counts.unchanged)} unchanged`} tone="info" />}
      {counts.skip === 0 ? null : <Badge value={`${text(counts.skip)} skipped`} tone="info" />}
      {counts.error === 0 ? null : <Badge value={`${text(counts.error)} with errors`} tone="bad" />}
    </span>
  );
}

function text(count: number): string {
  return count.toLocaleString("en");
}
