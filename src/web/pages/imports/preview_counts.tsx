/** Counts of a preview's rows by result. */

import { counted, numberText } from "../../../base/amounts.ts";
import { type PreviewHead, totalOf } from "../../../domain/certificates/import_preview/mod.ts";
import { Badge, type Html, type Tone } from "../../kit/components/mod.ts";
import { isColumnError } from "./headings.ts";

/** Renders the expected results of rows, or the actual ones: "5 can be imported", "3 have errors". */
export function PreviewCounts({ preview }: { preview: PreviewHead }): Html {
  const { errors, confirmed } = preview;
  // Results of rows are not final until all columns are known.
  if (errors.length > 0) {
    return (
      <span class="counts">
        {problemsOf(preview).map((text) => <Badge value={text} tone="bad" />)}
      </span>
    );
  }
  const shown = (confirmed === null ? expected(preview) : reached(preview)).filter(([count]) => count > 0);
  return (
    <span class="counts">
      {shown.map(([count, words, tone]) => <Badge value={`${numberText(count)} ${words}`} tone={tone} />)}
    </span>
  );
}

/** Returns what is wrong with columns, then with rows: "2 columns missing", "2 of 3 rows have errors". */
function problemsOf(preview: PreviewHead): string[] {
  const { errors, counts: { error } } = preview;
  const columns = errors.every(isColumnError)
    ? `${counted(errors.length, "column")} missing`
    : `${counted(errors.length, "problem")} with columns`;
  const verb = error === 1 ? "has" : "have";
  return [
    columns,
    ...(error === 0 ? [] : [`${numberText(error)} of ${counted(totalOf(preview), "row")} ${verb} errors`]),
  ];
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
