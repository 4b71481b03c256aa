/** The list of certificates. */

import { EXPORT_FIELDS } from "../../domain/certificates/export/mod.ts";
import { CUSTOM_PREFIX } from "../../resource/mod.ts";
import { EVERY_COLUMN } from "./export.ts";
import { isGranted } from "../../auth/mod.ts";
import { certificates, STATUSES } from "../../domain/certificates/mod.ts";
import { policies } from "../../domain/compliance/mod.ts";
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
  withQuery,
} from "../components/mod.ts";
import {
  ColumnMenu,
  customLabels,
  FilterForm,
  type Listing,
  loadFilters,
  loadViews,
  may,
  type MenuView,
  readListing,
  redirectToClean,
  ViewMenu,
} from "../objects/mod.ts";
import { AddButton } from "../imports/mod.ts";
import { page } from "../shell/mod.ts";
import { certificateColumns, columnLabels, neededFields, selectedColumns } from "./columns.tsx";
import { withInstalledOn } from "./installed_on.tsx";
import { MAX_SELECTED, showsInUse, withDefaults } from "./list_defaults.ts";
import { certificateView } from "./view.ts";

const BULK = "bulk";

/** Renders the list with search, filters, columns and bulk actions. */
export async function certificateList(call: Call): Promise<Response> {
  const clean = redirectToClean(call, certificates);
  if (clean !== undefined) return clean;
  const names = selectedColumns(call);
  const [listing, filters, saved] = await Promise.all([
    readListing(call, certificates, { fields: neededFields(names), withDefaults }),
    loadFilters(call, certificateView),
    loadViews(call, certificates),
  ]);
  const wrong = Object.keys(listing.errors).length > 0;
  const rows = names.includes("installed_on") ? await withInstalledOn(call, listing.rows) : listing.rows;
  return page(
    call,
    {
      title: "Certificates",
      actions: <AddButton call={call} />,
      ...(wrong ? { status: 400 } : {}),
      ...(listing.rows.length === 0 ? {} : { rows: "#rows" }),
    },
    <>
      <ErrorSummary errors={listing.errors} shown={filters.map(({ name }) => name)} />
      <FilterForm
        url={listing.url}
        searchable
        filters={filters}
        labels={customLabels(call, certificates)}
        errors={listing.errors}
      />
      <Tabs url={listing.url} />
      {wrong
        ? null
        : listing.rows.length === 0
        ? <Nothing call={call} listing={listing} />
        : <Rows call={call} names={names} saved={saved} listing={{ ...listing, rows }} />}
    </>,
  );
}

/** Renders the tabs "In use" and "All statuses"; nothing if the address filters by status. */
function Tabs({ url }: { url: URL }): Html | null {
  const params = url.searchParams;
  if (params.has("status")) return null;
  const inUse = showsInUse(params);
  return (
    <nav class="tabs" aria-label="Certificates shown">
      <a href={withQuery(url, { show: null, offset: null })} aria-current={inUse ? "page" : undefined}>
        In use
      </a>
      <a href={withQuery(url, { show: "all", offset: null })} aria-current={inUse ? undefined : "page"}>
        All statuses
      </a>
    </nav>
  );
}

function Rows(
  { call, names, saved, listing }: {
    call: Call;
    names: readonly string[];
    saved: readonly MenuView[];
    listing: Listing;
  },
): Html {
  const { rows, url, count, limit, offset } = listing;
  const bulk = isGranted(call.ctx, "bulk_operations", certificates.objectType);
  return (
    <>
      <div class="list-bar">
        <BulkActions call={call} bulk={bulk} all={count > rows.length && count <= MAX_SELECTED ? count : 0} />
        <div class="grow"></div>
        <ExportForm url={url} count={count} columns={names} />
        <ViewMenu url={url} resource={certificates} views={saved} names={names} />
        <ColumnMenu
          call={call}
          url={url}
          resource={certificates}
          labels={columnLabels(call)}
          names={names}
          limit={limit}
          fixed="common_name"
        />
        <Pager url={url} count={count} limit={limit} offset={offset} label="Pages, above the list" />
      </div>
      <Table
        caption="Certificates"
        columns={certificateColumns(call, names)}
        rows={rows}
        url={url}
        dense
        id="rows"
        sorted={url.searchParams.get("ordering") ?? "valid_to"}
        select={{ form: BULK, label: (row) => truncate(String(row.common_name)) }}
      />
      <div class="toolbar under">
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} jump />
      </div>
    </>
  );
}

/** Renders the bulk actions: one form, whose buttons name the action. It opens when rows are selected. */
function BulkActions(
  { call, bulk, all }: {
    call: Call;
    bulk: boolean;
    /** Number of certificates in the whole list if an action may apply to all of them; else 0. */
    all: number;
  },
): Html {
  const { ctx } = call;
  const change = bulk && isGranted(ctx, "change", certificates.objectType);
  const check = bulk && isGranted(ctx, "manage_compliance", policies.objectType);
  const assign = bulk && isGranted(ctx, "add", "certmgr.certificateassignment");
  return (
    <details class="menu" data-selection>
      <summary role="button" class="secondary">
        <span data-selected-text>Selected certificates</span>
      </summary>
      <Form call={call} action="/certificates/bulk/" id={BULK}>
        <input type="hidden" name="back" value={`${call.url.pathname}${call.url.search}`} />
        {all === 0 ? null : (
          <label>
            <input type="checkbox" name="all" value="true" /> All {all.toLocaleString("en")} of this list
          </label>
        )}
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
              <Icon name="trash" />Delete…
            </button>
          )
          : null}
        <div class="toolbar">
          <FormatSelect />
          <button type="submit" name="action" value="export" class="secondary">
            <Icon name="download" />Export
          </button>
        </div>
      </Form>
    </details>
  );
}

function FormatSelect(): Html {
  return (
    <select name="format" aria-label="Format">
      {Object.keys(FORMATS).map((format) => <option value={format}>{format.toUpperCase()}</option>)}
    </select>
  );
}

/** Renders the links that export all matching certificates. */
function ExportForm(
  { url, count, columns }: { url: URL; count: number; columns: readonly string[] },
): Html {
  const params = new URLSearchParams(url.search);
  withDefaults(params);
  const filters = [...params].filter(([name]) => !["limit", "offset", "columns", "show"].includes(name));
  // Custom fields are columns of an export too.
  const shown = columns.filter((name) => EXPORT_FIELDS.includes(name) || name.startsWith(CUSTOM_PREFIX));
  return (
    <details class="menu">
      <summary role="button" class="secondary">
        <Icon name="download" />Export
      </summary>
      <form method="get" action="/certificates/export/">
        <p>{count === 1 ? "1 certificate" : `All ${count.toLocaleString("en")} certificates of this list`}</p>
        {filters.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        <div class="toolbar">
          <FormatSelect />
          <select name="fields" aria-label="Columns">
            <option value="">Default columns</option>
            <option value={shown.join(",")}>Columns of this list</option>
            <option value={EVERY_COLUMN}>All columns</option>
          </select>
          <button type="submit" class="secondary">Export</button>
        </div>
      </form>
    </details>
  );
}

function Nothing({ call, listing }: { call: Call; listing: Listing }): Html {
  const { url } = listing;
  if ([...url.searchParams.keys()].some((name) => name !== "columns" && name !== "show")) {
    return (
      <EmptyState text="No certificates match these filters.">
        {showsInUse(url.searchParams)
          ? <a href={withQuery(url, { show: "all", offset: null })}>Search replaced and revoked ones too</a>
          : null}
        <a href="/certificates/">Remove all filters</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text="No certificates yet. Import them from files, or from a table.">
      <AddButton call={call} />
    </EmptyState>
  );
}
