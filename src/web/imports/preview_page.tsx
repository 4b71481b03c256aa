/** A preview: what would become of every row, and the button that imports them. */

import { formatDatetime } from "../../base/clock.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import {
  confirmPreview,
  discardPreview,
  isReady,
  type PreviewHead,
  type PreviewPage,
  readPreview,
  refreshPreview,
  totalOf,
} from "../../domain/certificates/import_preview/mod.ts";
import { isGranted } from "../../auth/mod.ts";
import { assetPath } from "../assets/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, Icon, Time, withQuery } from "../components/mod.ts";
import { listPath } from "../paths.ts";
import { done, refused } from "../responses.ts";
import { page } from "../shell/mod.ts";
import { PreviewCounts } from "./preview_counts.tsx";
import { BULK, previewPath } from "./paths.ts";
import { PreviewTable } from "./preview_table.tsx";

/** Shows a page of rows: all of them, or those with errors (`?only=errors&page=2`). */
export async function showPreview(call: Call): Promise<Response> {
  const only = call.query.get("only") === "errors" ? "errors" : "all";
  const requested = Number(call.query.get("page") ?? 1);
  const preview = await readPreview({
    ctx: call.ctx,
    key: call.params.key ?? "",
    only,
    page: Number.isSafeInteger(requested) ? requested : 1,
  });
  return page(
    call,
    {
      title: preview.confirmed === null ? "Bulk import preview" : "Bulk import complete",
      above: [["Certificates", "/certificates/"], ["Bulk import", BULK]],
    },
    <>
      <link rel="stylesheet" href={assetPath("imports.css")} />
      <p class="summary">
        <PreviewCounts preview={preview} />
        <span class="faint">
          {preview.format.toUpperCase()}, {rowsText(totalOf(preview))}; expires{" "}
          <Time at={formatDatetime(preview.expires)} />
        </span>
      </p>
      <DocumentErrors preview={preview} />
      <Actions call={call} preview={preview} />
      <Filter call={call} preview={preview} only={only} />
      {preview.rows.length === 0
        ? <p class="empty">{only === "errors" ? "No row has errors." : "The table has no rows."}</p>
        : <PreviewTable preview={preview} badFirst={only === "errors"} />}
      <Pages call={call} preview={preview} />
    </>,
  );
}

function rowsText(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}`;
}

/** What is wrong with the document as a whole. */
function DocumentErrors({ preview: { errors } }: { preview: PreviewPage }): Html | null {
  if (errors.length === 0) return null;
  return (
    <div class="flash error" role="alert">
      <Icon name="warning" />
      <ul>{errors.map(({ message }) => <li>{message}</li>)}</ul>
    </div>
  );
}

function Actions({ call, preview }: { call: Call; preview: PreviewPage }): Html {
  const base = previewPath(preview.key);
  if (preview.confirmed !== null) return <DoneActions call={call} />;
  const bad = preview.errors.length > 0 || preview.counts.error > 0;
  return (
    <div class="toolbar">
      {isReady(preview)
        ? (
          <Form call={call} action={`${base}confirm/`}>
            <button type="submit">
              {preview.counts.create === 1
                ? "Import certificate"
                : `Import ${preview.counts.create.toLocaleString("en")} certificates`}
            </button>
          </Form>
        )
        : null}
      {bad
        ? (
          <a role="button" href={`${BULK}?from=${preview.key}`}>
            <Icon name="edit" />Edit table
          </a>
        )
        : null}
      {bad
        ? (
          <Form call={call} action={`${base}refresh/`}>
            <button type="submit" class="secondary">Check again</button>
          </Form>
        )
        : null}
      <Form call={call} action={`${base}discard/`}>
        <button type="submit" class="secondary">Discard</button>
      </Form>
      {bad ? <span class="faint">No row is imported while there are errors.</span> : null}
      {!bad && preview.counts.create === 0
        ? <span class="faint">This table has no new certificates.</span>
        : null}
    </div>
  );
}

function DoneActions({ call }: { call: Call }): Html {
  return (
    <div class="toolbar">
      {isGranted(call.ctx, "view", certificates.objectType)
        ? <a role="button" href={`${listPath(certificates)}?ordering=-created`}>View certificates</a>
        : null}
      <a role="button" class="secondary" href={BULK}>Import another table</a>
    </div>
  );
}

/** All rows, or those with errors. */
function Filter(
  { call: { url }, preview, only }: { call: Call; preview: PreviewPage; only: "all" | "errors" },
): Html | null {
  if (preview.counts.error === 0 && only === "all") return null;
  const link = (label: string, count: number, value: "errors" | null): Html => (
    <a
      href={withQuery(url, { only: value, page: null })}
      aria-current={(only === "errors") === (value === "errors") ? "true" : undefined}
    >
      {label} <span class="faint">{count.toLocaleString("en")}</span>
    </a>
  );
  return (
    <nav class="tabs" aria-label="Rows">
      {link("All rows", totalOf(preview), null)}
      {link("Errors only", preview.counts.error, "errors")}
    </nav>
  );
}

function Pages(
  { call: { url }, preview: { page, pages } }: { call: Call; preview: PreviewPage },
): Html | null {
  if (pages === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>Page {page.toLocaleString("en")} of {pages.toLocaleString("en")}</span>
      {page > 1 ? <a href={withQuery(url, { page: null })}>First</a> : null}
      {page > 1 ? <a href={withQuery(url, { page: page - 1 })} rel="prev">Previous</a> : null}
      {page < pages ? <a href={withQuery(url, { page: page + 1 })} rel="next">Next</a> : null}
      {page < pages ? <a href={withQuery(url, { page: pages })}>Last</a> : null}
    </nav>
  );
}

/** Imports what a preview shows. */
export async function confirm(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const { confirmed, counts } = await confirmPreview({ ctx: call.ctx, key });
  if (confirmed === null) {
    return refused(
      call,
      previewPath(key),
      "Nothing was imported: the preview has changed. Review it and try again.",
    );
  }
  const skipped = counts.skip === 0 ? "" : `; ${rowsText(counts.skip)} skipped`;
  const imported = counts.create === 1
    ? "1 certificate"
    : `${counts.create.toLocaleString("en")} certificates`;
  return done(call, previewPath(key), `${imported} imported${skipped}.`);
}

/** Validates the rows again. */
export async function refresh(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const after: PreviewHead = await refreshPreview({ ctx: call.ctx, key });
  return done(
    call,
    previewPath(key),
    isReady(after) ? "All rows are valid." : "Rows checked again.",
  );
}

/** Discards a preview. */
export async function discard(call: Call): Promise<Response> {
  await discardPreview({ ctx: call.ctx, key: call.params.key ?? "" });
  return done(call, BULK, "Preview discarded.");
}
