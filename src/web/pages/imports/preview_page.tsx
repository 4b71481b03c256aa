/** The page of a preview: the expected result of every row, and the import button. */

import { counted, numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { download } from "../../../base/download.ts";
import {
  confirmPreview,
  discardPreview,
  failedRows,
  isReady,
  isTable,
  type PreviewHead,
  type PreviewPage,
  readPreview,
  refreshPreview,
  retryFailed,
  totalOf,
} from "../../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, type SelectOption, Time, withQuery } from "../../kit/components/mod.ts";
import { attempt, done, refused, seeOther } from "../../responses.ts";
import { checkNew } from "./import_result.ts";
import { Corrections } from "./corrections.tsx";
import { Actions, PreviewCounts, type Shown } from "./preview_actions.tsx";
import { importPage, ownMessages, Problems } from "./preview_parts.tsx";
import { isColumnError, missingText } from "./headings.tsx";
import { Mapping } from "./mapping_form.tsx";
import { ADD, previewPath } from "./paths.tsx";
import { ErrorKinds } from "./error_kinds.tsx";
import { HiddenColumns, PreviewTable } from "./preview_table.tsx";
import { TENANT, tenantCells } from "./tenant_field.tsx";

/** Shows a page of rows: all of them, or those with errors (`?only=errors&page=2`). */
export async function showPreview(call: Call): Promise<Response> {
  const only: Shown = call.query.get("only") === "errors" ? "errors" : "all";
  const requested = Number(call.query.get("page") ?? 1);
  const preview = await readPreview({
    ctx: call.ctx,
    key: call.params.key ?? "",
    only,
    page: Number.isSafeInteger(requested) ? requested : 1,
  });
  const cells = only === "all" ? [] : preview.rows.filter((row) => ownMessages(row, TENANT).length > 0);
  const tenants = await tenantCells(call, cells.length);
  return importPage(
    call,
    { title: preview.confirmed === null ? "Preview of a table" : "Import complete" },
    <>
      <p class="summary">
        <PreviewCounts preview={preview} />
        <span class="faint">
          {preview.format.toUpperCase()}, {counted(totalOf(preview), "row")}; kept until{" "}
          <Time at={formatDatetime(preview.expires)} />
        </span>
      </p>
      <Problems tone="error" sentences={documentErrors(preview)} />
      <Mapping call={call} preview={preview} />
      <Actions call={call} preview={preview} only={only} />
      <ErrorKinds call={call} preview={preview} accepting={only === "all"} />
      <div class="above-rows">
        <Filter call={call} preview={preview} only={only} />
        {only === "all" ? <HiddenColumns call={call} preview={preview} /> : null}
      </div>
      <Rows call={call} preview={preview} only={only} tenants={tenants} />
      <Pages call={call} preview={preview} />
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
  if (only === "all") return <PreviewTable call={call} preview={preview} />;
  const table = <Corrections preview={preview} tenants={tenants} />;
  if (preview.confirmed !== null || !isTable(preview)) return table;
  return (
    <Form call={call} action={`${previewPath(preview.key)}rows/`} class="correct">
      {/* Enter in a field saves; without this button it would accept the first suggestion. */}
      <button type="submit" class="hidden" tabindex={-1} aria-hidden="true">Save and check</button>
      {table}
      <div class="form-actions">
        <button type="submit">Save and check</button>
        <span class="faint">Choose a row's number to edit the whole row.</span>
      </div>
    </Form>
  );
}

/** Returns the errors of the whole document, without those that the form for columns has. */
function documentErrors(preview: PreviewPage): string[] {
  const { errors, headings } = preview;
  return [
    ...(headings.length > 0 ? [] : missingText(preview)),
    ...errors.filter((error) => !isColumnError(error)).map(({ message }) => message),
  ];
}

/** Renders the tabs "All rows" and "Rows with errors". */
function Filter(
  { call: { url }, preview, only }: { call: Call; preview: PreviewPage; only: Shown },
): Html | null {
  // Without all columns, the rows are only samples.
  if (only === "all" && (preview.counts.error === 0 || preview.errors.length > 0)) return null;
  const link = (label: string, count: number, value: "errors" | null): Html => (
    <a
      href={withQuery(url, { only: value, page: null })}
      aria-current={(only === "errors") === (value === "errors") ? "true" : undefined}
    >
      {label} <span class="count">{numberText(count)}</span>
    </a>
  );
  return (
    <nav class="choice" aria-label="Rows">
      {link("All rows", totalOf(preview), null)}
      {link("Errors only", preview.counts.error, "errors")}
    </nav>
  );
}

function Pages(
  { call: { url }, preview: { page, pages } }: { call: Call; preview: PreviewPage },
): Html | null {
  if (pages === 1) return null;
  const links: readonly (readonly [label: string, page: number | null, rel?: string])[] = [
    ...(page > 1 ? [["First", null], ["Previous", page - 1, "prev"]] as const : []),
    ...(page < pages ? [["Next", page + 1, "next"], ["Last", pages]] as const : []),
  ];
  return (
    <nav class="pager" aria-label="Pages">
      <span>Page {numberText(page)} of {numberText(pages)}</span>
      {links.map(([label, to, rel]) => <a href={withQuery(url, { page: to })} rel={rel}>{label}</a>)}
    </nav>
  );
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

/** Creates a preview of the rows that were not imported, and shows their errors. */
export async function retry(call: Call): Promise<Response> {
  const { key = "" } = call.params;
  return await attempt({ call, back: previewPath(key), codes: ["conflict", "invalid"] }, async () => {
    const next = await retryFailed({ ctx: call.ctx, key });
    return seeOther(call, `${previewPath(next.key)}?only=errors`);
  });
}

/** Validates the rows again. */
export async function refreshPage(call: Call): Promise<Response> {
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
  return done(call, ADD, "Preview discarded.");
}
