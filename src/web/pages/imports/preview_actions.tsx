/** Actions on a preview, before the import and after it. */

import { numberText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import {
  hasValidRows,
  isReady,
  isTable,
  type PreviewPage,
} from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, Icon } from "../../kit/components/mod.ts";
import { listPath } from "../../paths.ts";
import { ADD, previewPath } from "./paths.ts";

/** The kind of rows that a page shows. */
export type Shown = "all" | "errors";

/** Renders the buttons; the first one is the next step. */
export function Actions({ call, preview, only }: { call: Call; preview: PreviewPage; only: Shown }): Html {
  const base = previewPath(preview.key);
  if (preview.confirmed !== null) return <DoneActions call={call} preview={preview} />;
  const bad = preview.errors.length > 0 || preview.counts.error > 0;
  const toStore = preview.counts.create + preview.counts.update;
  return (
    <div class="toolbar">
      {isReady(preview)
        ? (
          <Form call={call} action={`${base}confirm/`}>
            <button type="submit">
              {toStore === 1 ? "Import certificate" : `Import ${numberText(toStore)} certificates`}
            </button>
          </Form>
        )
        : null}
      {preview.counts.error > 0 && preview.errors.length === 0 && only === "all" && isTable(preview)
        ? <a role="button" href={`${base}?only=errors`}>Correct errors</a>
        : null}
      {preview.counts.error > 0 && hasValidRows(preview)
        ? (
          <Form call={call} action={`${base}confirm/`}>
            <input type="hidden" name="good" value="1" />
            <button type="submit" class="secondary">
              Import the {numberText(toStore)} good {toStore === 1 ? "row" : "rows"}
            </button>
          </Form>
        )
        : null}
      {bad
        ? (
          <a role="button" class="secondary" href={`${ADD}?from=${preview.key}`}>
            <Icon name="edit" />Edit table
          </a>
        )
        : null}
      {bad
        ? (
          <details class="menu">
            <summary role="button" class="secondary">More</summary>
            <div>
              {preview.errors.length === 0 ? <FailedRows preview={preview} /> : null}
              <Form call={call} action={`${base}refresh/`}>
                <button type="submit" class="secondary">Check again</button>
              </Form>
            </div>
          </details>
        )
        : null}
      <Form call={call} action={`${base}discard/`}>
        <button type="submit" class="secondary">Discard</button>
      </Form>
      {!bad && toStore === 0 ? <span class="faint">This table has nothing to import.</span> : null}
    </div>
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
          <Form call={call} action={`${previewPath(preview.key)}retry/`}>
            <button type="submit">
              Correct {error === 1 ? "the failed row" : `the ${numberText(error)} failed rows`}
            </button>
          </Form>
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
