/** The page of a preview: the expected result of every row, what can be done with it, and the corrections. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { download } from "../../../base/download.ts";
import { IMPORT_PREVIEW_PAGE_ROWS } from "../../../base/limits.ts";
import {
  confirmPreview,
  discardPreview,
  failedRows,
  hasValidRows,
  isReady,
  type PreviewHead,
  type PreviewPage,
  readPreview,
  totalOf,
} from "../../../domain/certificates/import_preview/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import {
  Choice,
  type Content,
  Form,
  type Html,
  Icon,
  Pager,
  type SelectOption,
  Time,
  withQuery,
} from "../../kit/components/mod.ts";
import { sentenceOf } from "../../messages.ts";
import { offsetOf } from "../../forms.ts";
import { listPath } from "../../paths.ts";
import { done, refused } from "../../responses.ts";
import { checkNew } from "./add_form.tsx";
import { CREATABLE, TENANT, tenantCells } from "./cell_choices.ts";
import { Corrections, CreateAll } from "./corrections.tsx";
import { Mapping } from "./mapping_form.tsx";
import { ADD, previewPath } from "./paths.tsx";
import {
  Counts,
  expectedParts,
  importPage,
  ownMessages,
  type Part,
  Problems,
  sourceText,
} from "./preview_parts.tsx";
import { PreviewTable } from "./preview_table.tsx";

/** Returns the expected results of rows, or the actual ones: "5 can be imported", "3 have errors". */
function countsOf({ confirmed, counts }: PreviewHead): Part[] {
  const { create, update, unchanged, skip, error } = counts;
  if (confirmed === null) return expectedParts(counts);
  return [
    [create, "imported", "good"],
    [update, "updated", "good"],
    [unchanged, "unchanged", "info"],
    [skip, "skipped", "info"],
    [error, "not imported", "bad"],
  ];
}

/** The kind of rows that a page shows. */
type Shown = "all" | "errors";

/** Renders the buttons; the first one is the next step. */
function Actions({ call, preview, only }: { call: Call; preview: PreviewPage; only: Shown }): Html {
  const { confirmed, counts: { create, update, error }, errors, key, createdIds } = preview;
  const path = previewPath(key);
  const toStore = create + update;
  const failed = error > 0 && (
    <Link path={`${path}failed-rows.csv`} secondary download>
      <Icon name="download" />Download failed rows
    </Link>
  );
  if (confirmed !== null) {
    return (
      <div class="toolbar">
        {createdIds !== null && isGranted(call.ctx, "view", certificates.objectType) && (
          <Link path={`${listPath(certificates)}?${createdQuery(createdIds)}`}>
            Show imported
          </Link>
        )}
        {failed}
        <Link path={ADD} secondary>Add more certificates</Link>
      </div>
    );
  }
  const bad = errors.length > 0 || error > 0;
  return (
    <div class="toolbar">
      {isReady(preview) && (
        <Post call={call} path={`${path}confirm/`}>
          {toStore === 1 ? "Import certificate" : `Import ${numberText(toStore)} certificates`}
        </Post>
      )}
      {error > 0 && only === "all" && <Link path={`${path}?only=errors#corrections`}>Correct errors</Link>}
      {error > 0 && hasValidRows(preview) && (
        <Post call={call} path={`${path}confirm/`} secondary field="good">
          Import the {numberText(toStore)} good {toStore === 1 ? "row" : "rows"}
        </Post>
      )}
      {bad && (
        <>
          <Link path={`${ADD}?from=${key}`} secondary>
            <Icon name="edit" />Edit table
          </Link>
          {failed}
        </>
      )}
      <Post call={call} path={`${path}discard/`} secondary>Discard</Post>
      {!bad && toStore === 0 && <span class="faint">This table has nothing to import.</span>}
    </div>
  );
}

interface Action {
  readonly path: string;
  readonly secondary?: boolean;
  readonly children: Content;
}

/** Renders a button that posts an action, with a field that is set. */
function Post({ call, path, secondary, field, children }: Action & { call: Call; field?: string }): Html {
  return (
    <Form call={call} action={path}>
      {field === undefined ? null : <input type="hidden" name={field} value="1" />}
      <button type="submit" class={secondary ? "secondary" : undefined}>{children}</button>
    </Form>
  );
}

function Link({ path, secondary, download, children }: Action & { download?: boolean }): Html {
  return (
    <a role="button" class={secondary ? "secondary" : undefined} href={path} download={download}>
      {children}
    </a>
  );
}

/** Returns the query for the created certificates: their ids follow one another. */
function createdQuery([first, last]: readonly [number, number]): string {
  return first === last ? `id=${first}` : `id__gte=${first}&id__lte=${last}`;
}

/** Shows a page of rows: all of them, or those with errors (`?only=errors&offset=100`). */
export async function showPreview(call: Call): Promise<Response> {
  const only: Shown = call.query.get("only") === "errors" ? "errors" : "all";
  const offset = offsetOf(call.query.get("offset"));
  const preview = await readPreview({ ctx: call.ctx, key: call.params.key ?? "", only, offset });
  const cells = only === "all" ? [] : preview.rows.filter((row) => ownMessages(row, TENANT).length > 0);
  const tenants = await tenantCells(call, cells.length);
  return importPage(
    call,
    { title: preview.confirmed === null ? "Preview of a table" : "Import complete" },
    <>
      <p class="summary">
        <span class="counts">
          <Counts parts={countsOf(preview)} />
        </span>
        <span class="faint">
          {sourceText(preview)}, {counted(totalOf(preview), "row")}; kept until{" "}
          <Time at={formatDatetime(preview.expires)} />
        </span>
      </p>
      {preview.listed > 0 && preview.confirmed === null && (
        <p>
          {counted(preview.listed, "new certificate is", "new certificates are")}{" "}
          known from this list only: without what identifies them (serial number, fingerprint, algorithm),
          they are marked, warn before they expire, and are completed when they are uploaded or found at an
          endpoint.
        </p>
      )}
      <Problems tone="error" sentences={preview.errors.map(sentenceOf)} />
      <Mapping call={call} preview={preview} />
      <Actions call={call} preview={preview} only={only} />
      <Filter call={call} preview={preview} only={only} />
      <Rows call={call} preview={preview} only={only} tenants={tenants} />
      {preview.count > IMPORT_PREVIEW_PAGE_ROWS && (
        <Pager url={call.url} {...preview} limit={IMPORT_PREVIEW_PAGE_ROWS} />
      )}
    </>,
  );
}

/** Renders the rows; those with errors are a form in which invalid cells are corrected. */
function Rows({ call, preview, only, tenants }: {
  call: Call;
  preview: PreviewPage;
  only: Shown;
  tenants: readonly SelectOption[] | undefined;
}): Html {
  if (preview.rows.length === 0) {
    return <p class="empty">{only === "errors" ? "No row has errors." : "The table has no rows."}</p>;
  }
  if (only === "all") return <PreviewTable preview={preview} />;
  const creatable = new Set(
    [...CREATABLE.values()].filter(({ objectType }) => isGranted(call.ctx, "add", objectType)),
  );
  const table = <Corrections preview={preview} tenants={tenants} creatable={creatable} />;
  if (preview.confirmed !== null) return table;
  return (
    <Form call={call} action={`${previewPath(preview.key)}rows/`} class="correct" id="corrections">
      {/* Enter in a field saves; without this button it would accept the first suggestion. */}
      <button type="submit" class="hidden" tabindex={-1} aria-hidden="true">Save and check</button>
      {table}
      <div class="form-actions">
        <button type="submit">Save and check</button>
        <CreateAll preview={preview} creatable={creatable} />
      </div>
    </Form>
  );
}

/** Renders the tabs "All rows" and "Rows with errors". */
function Filter(
  { call: { url }, preview, only }: { call: Call; preview: PreviewPage; only: Shown },
): Html | null {
  if (only === "all" && preview.counts.error === 0) return null;
  const choices =
    ([["All rows", totalOf(preview), "all"], ["Errors only", preview.counts.error, "errors"]] as const)
      .map(([label, count, name]) => ({
        name,
        label: `${label} ${numberText(count)}`,
        path: withQuery(url, { only: name === "all" ? null : name, offset: null }),
      }));
  return <Choice label="Rows" choices={choices} chosen={only} />;
}

/** Imports the rows of a preview. */
export async function confirm(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const validOnly = call.form.has("good");
  const { confirmed, counts } = await confirmPreview({ ctx: call.ctx, key, validOnly });
  if (confirmed === null) {
    return refused(
      call,
      previewPath(key),
      "Nothing was imported: the preview has changed. Review it and try again.",
    );
  }
  if (counts.create > 0) {
    const [first, last] = (await readPreview({ ctx: call.ctx, key })).createdIds ?? [1, 0];
    // The ids of the created certificates are consecutive.
    await checkNew(call, Array.from({ length: last - first + 1 }, (_, index) => first + index));
  }
  const others = ([
    [counts.update, "updated"],
    [counts.skip, "skipped"],
    [counts.error, "with errors left out"],
  ] as const).map(([count, words]) => count === 0 ? "" : `; ${counted(count, "row")} ${words}`);
  const created = counted(counts.create, "certificate");
  return done(call, previewPath(key), `${created} imported${others.join("")}.`);
}

/** Downloads the rows with errors. */
export async function downloadFailed(call: Call): Promise<Response> {
  return await download(call.ctx, await failedRows({ ctx: call.ctx, key: call.params.key ?? "" }));
}

/** Discards a preview. */
export async function discard(call: Call): Promise<Response> {
  await discardPreview({ ctx: call.ctx, key: call.params.key ?? "" });
  return done(call, ADD, "Preview discarded.");
}
