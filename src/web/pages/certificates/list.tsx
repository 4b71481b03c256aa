/** The list of certificates. */

import { numberText } from "../../../base/amounts.ts";
import { calendarFeeds } from "../../../domain/certificates/calendar/mod.ts";
import { EXPORT_FIELDS } from "../../../domain/certificates/export/mod.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import { mayAssignContacts } from "./assign_contact.tsx";
import { EVERY_COLUMN } from "./export.ts";
import { isGranted } from "../../../auth/mod.ts";
import { certificates, STATUSES } from "../../../domain/certificates/mod.ts";
import { policies } from "../../../domain/compliance/mod.ts";
import { FORMATS } from "../../../formats/mod.ts";
import type { Call } from "../../call.ts";
import {
  EmptyState,
  ErrorSummary,
  type Html,
  Icon,
  Pager,
  Table,
  truncate,
  withQuery,
} from "../../kit/components/mod.ts";
import {
  activeFilters,
  BULK,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  type Listing,
  ListMenus,
  listTitle,
  loadFilters,
  loadViews,
  may,
  noMatchText,
  PrintNote,
  readListing,
  redirectToClean,
  SelectionBar,
} from "../../kit/mod.ts";
import { AddButton } from "../imports/mod.ts";
import { page } from "../../shell/mod.ts";
import {
  areColumnsChosen,
  certificateColumns,
  columnLabels,
  LISTED,
  type ListedCertificate,
  neededFields,
  selectedColumns,
} from "./columns.tsx";
import { withAssignedTo } from "./assigned_to.tsx";
import { defaultOrder, showsUsed, withDefaults } from "./list_defaults.ts";
import { Expiries, Tabs } from "./list_tabs.tsx";
import { certificateView } from "./view.tsx";

/** Renders the list with search, filters, columns and bulk actions. */
export async function certificateList(call: Call): Promise<Response> {
  const clean = await redirectToClean(call, certificates);
  if (clean !== undefined) return clean;
  const names = selectedColumns(call);
  const [listing, filters, saved] = await Promise.all([
    readListing(call, certificates, { fields: LISTED, columns: neededFields(names), withDefaults }),
    loadFilters(call, certificateView),
    loadViews(call, certificates),
  ]);
  const wrong = Object.keys(listing.errors).length > 0;
  const [active, rows] = await Promise.all([
    activeFilters(call, { url: listing.url, resource: certificates, filters }),
    names.includes("assigned_to") ? withAssignedTo(call, listing.rows) : listing.rows,
  ]);
  return page(
    call,
    {
      title: listTitle("Certificates", saved, listing.url),
      actions: isFiltered(listing) || listing.count > 0 ? <AddButton call={call} /> : undefined,
      ...(wrong ? { status: 400 } : {}),
      ...(listing.rows.length === 0 ? {} : { rows: "#rows" }),
    },
    <>
      <ErrorSummary
        errors={listing.errors}
        shown={filters.map(({ name }) => name)}
        labels={labelsOfFilters(call, certificates, filters)}
      >
        <a href="/certificates/">Show all certificates</a>
      </ErrorSummary>
      <div class="list-bar">
        <FilterForm
          url={listing.url}
          search="certificates"
          filters={filters}
          errors={listing.errors}
          presets={<Expiries url={listing.url} now={call.ctx.clock.now()} />}
        />
        <Tabs listing={listing} />
        {rows.length === 0 ? null : (
          <ListMenus
            call={call}
            resource={certificates}
            labels={columnLabels(call)}
            fixed="common_name"
            names={names}
            saved={saved}
            listing={listing}
          >
            <ExportForm
              url={listing.url}
              count={listing.count}
              columns={names}
              feeds={may(call, calendarFeeds, "add")}
            />
          </ListMenus>
        )}
        {rows.length === 0 ? null : <BulkActions call={call} listing={listing} />}
      </div>
      <FilterChips url={listing.url} active={active} />
      <PrintNote call={call} listing={listing} />
      {wrong
        ? null
        : rows.length === 0
        ? <Nothing call={call} listing={listing} />
        : <Rows call={call} names={names} listing={{ ...listing, rows }} />}
    </>,
  );
}

function Rows(
  { call, names, listing }: { call: Call; names: readonly string[]; listing: Listing<ListedCertificate> },
): Html {
  const { rows, url, count, limit, offset } = listing;
  return (
    <>
      <Table
        caption="Certificates"
        columns={certificateColumns(call, names)}
        rows={rows}
        url={url}
        dense
        chosen={areColumnsChosen(names)}
        id="rows"
        sorted={url.searchParams.get("ordering") ?? defaultOrder(url.searchParams)}
        select={{ form: BULK, label: (row) => truncate(row.common_name) }}
      />
      <div class="toolbar under">
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} jump />
      </div>
    </>
  );
}

/** Renders the actions for selected certificates. */
function BulkActions({ call, listing }: { call: Call; listing: Listing }): Html {
  const { ctx } = call;
  const bulk = isGranted(ctx, "bulk_operations", certificates.objectType);
  const change = bulk && isGranted(ctx, "change", certificates.objectType);
  const check = bulk && isGranted(ctx, "manage_compliance", policies.objectType);
  const assign = bulk && isGranted(ctx, "add", "certmgr.certificateassignment");
  return (
    <SelectionBar
      call={call}
      listing={listing}
      labelPlural="certificates"
      action="/certificates/bulk/"
      deletePath={may(call, certificates, "delete") ? "/certificates/" : undefined}
      more={
        <>
          {mayAssignContacts(call)
            ? <button type="submit" name="action" value="contact" class="secondary">Assign contact…</button>
            : null}
          {change
            ? <button type="submit" name="action" value="validate" class="secondary">Validate chains</button>
            : null}
          {check
            ? <button type="submit" name="action" value="check" class="secondary">Check compliance</button>
            : null}
          <span class="joined">
            <FormatSelect />
            <button type="submit" name="action" value="export" class="secondary">Export</button>
          </span>
        </>
      }
    >
      {may(call, certificates, "change")
        ? <button type="submit" formaction="/certificates/bulk-edit/" class="secondary">Edit…</button>
        : null}
      {assign ? <button type="submit" name="action" value="assign" class="secondary">Assign…</button> : null}
      {change
        ? (
          <span class="joined">
            <select name="status" aria-label="New status">
              <option value="">Status…</option>
              {STATUSES.map((status) => <option value={status}>{status}</option>)}
            </select>
            <button type="submit" name="action" value="status" class="secondary" data-needs="status">
              Set
            </button>
          </span>
        )
        : null}
    </SelectionBar>
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
  { url, count, columns, feeds }: {
    url: URL;
    count: number;
    columns: readonly string[];
    /** Whether the user may create a calendar feed. */
    feeds: boolean;
  },
): Html {
  const params = new URLSearchParams(url.search);
  withDefaults(params);
  const filters = [...params].filter(([name]) => !["limit", "offset", "columns", "show"].includes(name));
  const filter = new URLSearchParams(filters.filter(([name]) => name !== "ordering"));
  const feed = feeds ? `/calendar-feeds/new/?${new URLSearchParams({ filter: String(filter) })}` : undefined;
  // Custom fields are columns of an export, too.
  const shown = columns.filter((name) => EXPORT_FIELDS.includes(name) || name.startsWith(CUSTOM_PREFIX));
  return (
    <details class="menu">
      <summary role="button" class="secondary">
        <Icon name="download" />
        <span class="optional">Export</span>
      </summary>
      <form method="get" action="/certificates/export/">
        <p>{count === 1 ? "1 certificate" : `All ${numberText(count)} certificates of this list`}</p>
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
        {feed === undefined ? null : <a href={feed}>New calendar feed of this list</a>}
      </form>
    </details>
  );
}

function isFiltered({ url }: Listing): boolean {
  return [...url.searchParams.keys()].some((name) => name !== "columns" && name !== "show");
}

function Nothing({ call, listing }: { call: Call; listing: Listing }): Html {
  const { url } = listing;
  if (isFiltered(listing)) {
    return (
      <EmptyState text={noMatchText(certificates, url)}>
        {showsUsed(url.searchParams)
          ? <a href={withQuery(url, { show: "all", offset: null })}>Search replaced and revoked ones too</a>
          : null}
        <a href="/certificates/">
          {url.searchParams.has("q") ? "Show all certificates" : "Remove all filters"}
        </a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text="No certificates yet. Import them from files, or from a table.">
      <AddButton call={call} />
    </EmptyState>
  );
}
