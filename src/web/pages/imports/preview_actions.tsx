/** The counts of a preview, and what can be done with it, before the import and after it. */

import { counted, numberText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  hasValidRows,
  isReady,
  isTable,
  type PreviewHead,
  type PreviewPage,
  totalOf,
} from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, type Html, Icon } from "../../kit/components/mod.ts";
import { listPath } from "../../paths.ts";
import { isColumnError } from "./headings.tsx";
import { ADD, previewPath } from "./paths.tsx";
import { Counts, expectedParts, type Part } from "./preview_parts.tsx";

/** Renders the expected results of rows, or the actual ones: "5 can be imported", "3 have errors". */
export function PreviewCounts({ preview }: { preview: PreviewHead }): Html {
  const { errors, confirmed, counts } = preview;
  return (
    <span class="counts">
      <Counts
        parts={
          // Results of rows are not final until all columns are known.
          errors.length > 0
            ? problemsOf(preview)
            : confirmed === null
            ? expectedParts(counts)
            : reachedParts(counts)
        }
      />
    </span>
  );
}

/** Returns what is wrong with columns, then with rows: "2 columns missing", "2 of 3 rows have errors". */
function problemsOf(preview: PreviewHead): Part[] {
  const { errors, counts: { error } } = preview;
  const noun = errors.every(isColumnError)
    ? `${errors.length === 1 ? "column" : "columns"} missing`
    : `${errors.length === 1 ? "problem" : "problems"} with columns`;
  const rows = `of ${counted(totalOf(preview), "row")} ${error === 1 ? "has" : "have"} errors`;
  return [[errors.length, noun, "bad"], [error, rows, "bad"]];
}

function reachedParts({ create, update, unchanged, skip, error }: PreviewHead["counts"]): Part[] {
  return [
    [create, "imported", "good"],
    [update, "updated", "good"],
    [unchanged, "unchanged", "info"],
    [skip, "skipped", "info"],
    [error, "not imported", "bad"],
  ];
}

/** The kind of rows that a page shows. */
export type Shown = "all" | "errors";

/** Renders the buttons; the first one is the next step. */
export function Actions({ call, preview, only }: { call: Call; preview: PreviewPage; only: Shown }): Html {
  const { counts, errors, key } = preview;
  if (preview.confirmed !== null) return <DoneActions call={call} preview={preview} />;
  const bad = errors.length > 0 || counts.error > 0;
  const toStore = counts.create + counts.update;
  return (
    <div class="toolbar">
      {isReady(preview)
        ? (
          <Post call={call} preview={preview} action="confirm">
            {toStore === 1 ? "Import certificate" : `Import ${numberText(toStore)} certificates`}
          </Post>
        )
        : null}
      {counts.error > 0 && errors.length === 0 && only === "all" && isTable(preview)
        ? <a role="button" href={`${previewPath(key)}?only=errors`}>Correct errors</a>
        : null}
      {counts.error > 0 && hasValidRows(preview)
        ? (
          <Post call={call} preview={preview} action="confirm" secondary field="good">
            Import the {numberText(toStore)} good {toStore === 1 ? "row" : "rows"}
          </Post>
        )
        : null}
      {bad
        ? (
          <>
            <a role="button" class="secondary" href={`${ADD}?from=${key}`}>
              <Icon name="edit" />Edit table
            </a>
            <details class="menu">
              <summary role="button" class="secondary">More</summary>
              <div>
                {errors.length === 0 ? <FailedRows preview={preview} /> : null}
                <Post call={call} preview={preview} action="refresh" secondary>Check again</Post>
              </div>
            </details>
          </>
        )
        : null}
      <Post call={call} preview={preview} action="discard" secondary>Discard</Post>
      {!bad && toStore === 0 ? <span class="faint">This table has nothing to import.</span> : null}
    </div>
  );
}

/** Renders a button that posts an action of a preview. */
function Post({ call, preview, action, secondary = false, field, children }: {
  call: Call;
  preview: PreviewHead;
  action: "confirm" | "discard" | "refresh" | "retry";
  secondary?: boolean;
  /** A field that is sent. */
  field?: string;
  children: Content;
}): Html {
  return (
    <Form call={call} action={`${previewPath(preview.key)}${action}/`}>
      {field === undefined ? null : <input type="hidden" name={field} value="1" />}
      <button type="submit" class={secondary ? "secondary" : undefined}>{children}</button>
    </Form>
  );
}

/** Renders the download of rows with errors. */
function FailedRows({ preview: { key, counts } }: { preview: PreviewPage }): Html | null {
  if (counts.error === 0) return null;
  return (
    <a role="button" class="secondary" href={`${previewPath(key)}failed-rows.csv`} download>
      <Icon name="download" />Download failed rows
    </a>
  );
}

function DoneActions({ call, preview }: { call: Call; preview: PreviewPage }): Html {
  const { createdIds, counts: { error } } = preview;
  const correctable = error > 0 && isTable(preview);
  return (
    <div class="toolbar">
      {correctable
        ? (
          <Post call={call} preview={preview} action="retry">
            Correct {error === 1 ? "the failed row" : `the ${numberText(error)} failed rows`}
          </Post>
        )
        : null}
      {createdIds !== null && isGranted(call.ctx, "view", certificates.objectType)
        ? (
          <a
            role="button"
            class={correctable ? "secondary" : undefined}
            href={`${listPath(certificates)}?${createdQuery(createdIds)}`}
          >
            Show imported
          </a>
        )
        : null}
      <FailedRows preview={preview} />
      <a role="button" class="secondary" href={ADD}>Add more certificates</a>
    </div>
  );
}

/** Returns the query for the created certificates: their ids follow one another. */
function createdQuery([first, last]: readonly [number, number]): string {
  return first === last ? `id=${first}` : `id__gte=${first}&id__lte=${last}`;
}
