/** The list of certificates. */

import { isGranted } from "../../auth/mod.ts";
import { certificates, STATUSES } from "../../domain/certificates/mod.ts";
import { policies } from "../../domain/compliance/mod.ts";
import { mayBulkImport, mayImport } from "../../domain/certificates/import/mod.ts";
import { FORMATS } from "../../formats/mod.ts";
import type { Call } from "../call.ts";
import {
  EmptyState,
  ErrorSummary,
  Form,
  type Html,
  Icon,
  Pager,
  Table,
  truncate,
} from "../components/mod.ts";
import { FilterForm, type Listing, loadFilters, may, readListing } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { COLUMN_LABELS, columnsOf, neededFields, rememberColumns, selectedColumns } from "./columns.tsx";
import { certificateView } from "./view.ts";

const BULK = "bulk";

/** Search, filters, chosen columns, and what may be done with many at once. */
export async function certificateList(call: Call): Promise<Response> {
  const names = selectedColumns(call);
  const [listing, filters] = await Promise.all([
    readListing(call, certificates, { fields: neededFields(names) }),
    loadFilters(call, certificateView),
  ]);
  const wrong = Object.keys(listing.errors).length > 0;
  const shown = page(
    call,
    { title: "Certificates", actions: <ImportButtons call={call} />, ...(wrong ? { status: 400 } : {}) },
    <>
      <ErrorSummary errors={listing.errors} shown={certificateView.filters} />
      <FilterForm url={listing.url} searchable filters={filters} errors={listing.errors} />
      {wrong
        ? null
        : listing.rows.length === 0
        ? <Nothing call={call} listing={listing} />
        : <Rows call={call} names={names} listing={listing} />}
    </>,
  );
  return rememberColumns(call, shown);
}

function ImportButtons({ call }: { call: Call }): Html | null {
  if (!mayImport(call.ctx)) {
    return may(call, certificates, "add")
      ? (
        <a role="button" href="/certificates/new/">
          <Icon name="plus" />Add certificate
        </a>
      )
      : null;
  }
  return (
    <>
      {may(call, certificates, "add")
        ? (
          <a role="button" class="secondary" href="/certificates/new/">
            <Icon name="plus" />Add certificate
          </a>
        )
        : null}
      {mayBulkImport(call.ctx)
        ? (
          <a role="button" class="secondary" href="/certificates/bulk-import/">
            <Icon name="upload" />Bulk import
          </a>
        )
        : null}
      <a role="button" href="/certificates/import/">
        <Icon name="upload" />Import
      </a>
    </>
  );
}

function Rows({ call, names, listing }: { call: Call; names: readonly string[]; listing: Listing }): Html {
  const { rows, url, count, limit, offset } = listing;
  const bulk = isGranted(call.ctx, "bulk_operations", certificates.objectType);
  return (
    <>
      <Table
        caption="Certificates"
        columns={columnsOf(names)}
        rows={rows}
        url={url}
        select={{ form: BULK, label: (row) => truncate(String(row.common_name)) }}
      />
      <div class="toolbar under">
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} />
      </div>
      <div class="columns">
        <BulkActions call={call} bulk={bulk} />
        <ExportForm url={url} count={count} />
        <ColumnForm url={url} names={names} />
      </div>
    </>
  );
}

/** What may be done with the chosen rows; one form, whose buttons name what. */
function BulkActions({ call, bulk }: { call: Call; bulk: boolean }): Html {
  const { ctx } = call;
  const change = bulk && isGranted(ctx, "change", certificates.objectType);
  const check = bulk && isGranted(ctx, "manage_compliance", policies.objectType);
  const assign = bulk && isGranted(ctx, "add", "certmgr.certificateassignment");
  return (
    <section class="card" aria-labelledby="selected">
      <h2 id="selected">
        Selected certificates <span data-selected></span>
      </h2>
      <Form call={call} action="/certificates/bulk/" id={BULK}>
        {change
          ? (
            <div class="toolbar">
              <select name="status" aria-label="New status">
                {STATUSES.map((status) => <option value={status}>{status}</option>)}
              </select>
              <button type="submit" name="action" value="status" class="secondary">Set status</button>
            </div>
          )
          : null}
        <div class="toolbar">
          {change
            ? <button type="submit" name="action" value="validate" class="secondary">Validate chains</button>
            : null}
          {check
            ? <button type="submit" name="action" value="check" class="secondary">Check compliance</button>
            : null}
          {assign
            ? <button type="submit" name="action" value="assign" class="secondary">Assign…</button>
            : null}
          {may(call, certificates, "delete")
            ? (
              <button type="submit" formaction="/certificates/delete/" class="secondary">
                <Icon name="trash" />Delete
              </button>
            )
            : null}
        </div>
        <div class="toolbar">
          <FormatSelect />
          <button type="submit" name="action" value="export" class="secondary">
            <Icon name="download" />Export
          </button>
        </div>
      </Form>
    </section>
  );
}

function FormatSelect(): Html {
  return (
    <select name="format" aria-label="Format">
      {Object.keys(FORMATS).map((format) => <option value={format}>{format.toUpperCase()}</option>)}
    </select>
  );
}

/** All that the filters let through, as a file. */
function ExportForm({ url, count }: { url: URL; count: number }): Html {
  const filters = [...url.searchParams].filter(([name]) =>
    !["limit", "offset", "ordering", "columns"].includes(name)
  );
  return (
    <section class="card" aria-labelledby="export">
      <h2 id="export">
        Export {count === 1 ? "1 certificate" : `all ${count.toLocaleString("en")} certificates`}
      </h2>
      <form method="get" action="/certificates/export/">
        {filters.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        <div class="toolbar">
          <FormatSelect />
          <button type="submit" class="secondary">
            <Icon name="download" />Export
          </button>
        </div>
      </form>
    </section>
  );
}

function ColumnForm({ url, names }: { url: URL; names: readonly string[] }): Html {
  const kept = [...url.searchParams].filter(([name]) => name !== "columns");
  return (
    <details class="box">
      <summary>Columns</summary>
      <form method="get" action={url.pathname}>
        {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        <div class="filters">
          {COLUMN_LABELS.map(([name, label]) => (
            <label>
              <input
                type="checkbox"
                name="columns"
                value={name}
                checked={names.includes(name)}
                disabled={name === "common_name"}
              />
              {label}
            </label>
          ))}
        </div>
        <button type="submit" class="secondary">Apply</button>
      </form>
    </details>
  );
}

function Nothing({ call, listing }: { call: Call; listing: Listing }): Html {
  const narrowed = [...listing.url.searchParams.keys()].some((name) => name !== "columns");
  if (narrowed) {
    return (
      <EmptyState text="No certificates match these filters.">
        <a href="/certificates/">Show all certificates</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text="No certificates yet. Import them from files, or from a table.">
      {mayImport(call.ctx)
        ? (
          <>
            <a role="button" href="/certificates/import/">Import certificates</a>
            {mayBulkImport(call.ctx)
              ? <a role="button" class="secondary" href="/certificates/bulk-import/">Bulk import</a>
              : null}
          </>
        )
        : null}
    </EmptyState>
  );
}
