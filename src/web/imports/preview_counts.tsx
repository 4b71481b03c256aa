/** Counts of a preview's rows by result. */

import { counted, numberText } from "../../base/amounts.ts";
import type { PreviewHead } from "../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, type Tone } from "../components/mod.ts";

/** Renders the expected results of rows, or the actual ones: "5 can be imported", "3 have errors". */
export function PreviewCounts({ preview }: { preview: PreviewHead }): Html {
  const { errors, confirmed } = preview;
  // Results of rows are not final until all columns are known.
  if (errors.length > 0) {
    return <Badge value={`${counted(errors.length, "problem")} with columns`} tone="bad" />;
  }
  const shown = (confirmed === null ? expected(preview) : reached(preview)).filter(([count]) => count > 0);
  return (
    <span class="counts">
      {shown.map(([count, words, tone]) => <Badge value={`${numberText(count)} ${words}`} tone={tone} />)}
    </span>
  );
}

type Part = readonly [count: number, words: string, tone: Tone];

function expected({ counts }: PreviewHead): Part[] {
  const { create, update, unchanged, skip, error } = counts;
  return [
    [create, "can be imported", "good"],
    [update, "can be updated", "good"],
    [unchanged, unchanged === 1 ? "has nothing new" : "have nothing new", "info"],
    [skip, skip === 1 ? "is skipped" : "are skipped", "info"],
    [error, error === 1 ? "has errors" : "have errors", "bad"],
  ];
}

function reached({ counts }: PreviewHead): Part[] {
  const { create, update, unchanged, skip, error } = counts;
  return [
    [create, "imported", "good"],
    [update, "updated", "good"],
    [unchanged, "unchanged", "info"],
    [skip, "skipped", "info"],
    [error, "not imported", "bad"],
  ];
}
