/** The list of certificates. */

import { numberText } from "../../../base/amounts.ts";
import { calendarFeeds } from "../../../domain/certificates/calendar/resource.ts";
import { EXPORT_FIELDS } from "../../../domain/certificates/export/fields.ts";
import {
  exportCertificate,
  exportCertificates,
} from "../../../domain/certificates/export/export_certificates.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import { mayAssignContacts } from "./bulk_pages.tsx";
import { isGranted } from "../../../auth/mod.ts";
import { certificates, STATUSES } from "../../../domain/certificates/mod.ts";
import { incidents } from "../../../domain/incidents/mod.ts";
import { policies } from "../../../domain/compliance/mod.ts";
import { FORMATS } from "../../../formats/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { type Html, Icon, withQuery } from "../../kit/components/mod.ts";
import { cleanUrl, listedParams, type Listing, listPage, may, SelectionBar } from "../../kit/mod.ts";
import { AddButton } from "../imports/mod.ts";
import { usualColumns } from "./columns.tsx";
import { showsUsed, withDefaults } from "./list_defaults.ts";
import { mayTell } from "./tell_owners.tsx";
import { certificateView } from "./view.tsx";
import { download } from "../../../base/download.ts";

/** Renders the list with search, filters, columns and bulk actions. */
export async function certificateList(call: Call): Promise<Response> {
  const view = { ...certificateView, usual: usualColumns(call) };
  return await listPage(call, view, ({ listing, names }) => {
    const { url, count } = listing;
    return {
      add: <AddButton call={call} />,
      tabs: <Tabs listing={listing} />,
      menus: (
        <ExportForm
          url={url}
          count={count}
          columns={names}
          feeds={may(call, calendarFeeds, "add")}
          incidents={may(call, incidents, "add")}
        />
      ),
      selection: <BulkActions call={call} listing={listing} />,
      unmatched: (
        <>
          {showsUsed(url.searchParams)
            ? <a href={withQuery(url, { show: "all", offset: null })}>Search replaced and revoked ones too</a>
            : null}
          <a href="/certificates/">
            {url.searchParams.has("q") ? "Show all certificates" : "Remove all filters"}
          </a>
        </>
      ),
    };
  });
}

/** Renders the actions for selected certificates. */
function BulkActions({ call, listing }: { call: Call; listing: Listing }): Html {
  const { ctx } = call;
  const bulk = isGranted(ctx, "bulk_operations", certificates.objectType);
  const change = bulk && isGranted(ctx, "change", certificates.objectType);
  const check = bulk && isGranted(ctx, "manage_compliance", policies.objectType);
  const assign = bulk && isGranted(ctx, "add", "certmgr.certificateassignment");
  const action = (name: string, label: string): Html => (
    <button type="submit" name="action" value={name} class="secondary">{label}</button>
  );
  return (
    <SelectionBar
      call={call}
      listing={listing}
      labelPlural="certificates"
      action="/certificates/bulk/"
      deletePath={may(call, certificates, "delete") ? "/certificates/" : undefined}
      more={
        <>
          {mayAssignContacts(call) ? action("contact", "Assign contact…") : null}
          {change ? action("validate", "Validate chains") : null}
          {check ? action("check", "Check compliance") : null}
          <span class="joined">
            <FormatSelect />
            {action("export", "Export")}
          </span>
        </>
      }
    >
      {may(call, certificates, "change")
        ? <button type="submit" formaction="/certificates/bulk-edit/" class="secondary">Edit…</button>
        : null}
      {assign ? action("assign", "Assign…") : null}
      {mayTell(call) ? action("tell", "Tell owners…") : null}
      {change
        ? (
          <span class="joined">
            <select name="status" aria-label="New status">
              <option value="">Status…</option>
              {STATUSES.map((status) => <option value={status}>{status}</option>)}
            </select>
            <button type="submit" name="action" value="status" class="secondary">
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
  { url, count, columns, feeds, incidents: mayOpen }: {
    url: URL;
    count: number;
    columns: readonly string[];
    /** Whether the user may create a calendar feed. */
    feeds: boolean;
    /** Whether the user may open an incident. */
    incidents: boolean;
  },
): Html {
  const filter = listedParams(url, withDefaults);
  for (const name of ["limit", "offset", "ordering"]) filter.delete(name);
  const feed = feeds ? `/calendar-feeds/new/?${new URLSearchParams({ filter: String(filter) })}` : undefined;
  // Custom fields are columns of an export, too.
  const shown = ["common_name", ...columns].filter((name) =>
    EXPORT_FIELDS.includes(name) || name.startsWith(CUSTOM_PREFIX)
  ).flatMap((name) => name === "algorithm" ? [name, "key_size"] : [name]);
  return (
    <details class="menu">
      <summary role="button" class="secondary">
        <Icon name="download" />
        <span class="optional">Export</span>
      </summary>
      <form method="get" action="/certificates/export/">
        <p>{count === 1 ? "1 certificate" : `All ${numberText(count)} certificates of this list, by ID`}</p>
        {[...filter].map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        <div class="toolbar">
          <FormatSelect />
          <select name="fields" aria-label="Columns">
            <option value={shown.join(",")}>Columns of this list</option>
            <option value="">Default columns</option>
            <option value={EVERY_COLUMN}>All columns</option>
          </select>
          <button type="submit" class="secondary">Export</button>
        </div>
        {feed === undefined ? null : <a href={feed}>New calendar feed of this list</a>}
        {!mayOpen
          ? null
          : (
            <a href={`/incidents/new/?${new URLSearchParams({ "criteria.filter": String(filter) })}`}>
              New incident from this list
            </a>
          )}
      </form>
    </details>
  );
}

/** Renders the tabs "In use" and "All"; a filter by status is one within "All". */
function Tabs({ listing: { url, count, rows } }: { listing: Listing }): Html {
  const params = url.searchParams;
  const current = showsUsed(params) ? "use" : "all";
  const tab = (name: "use" | "all", label: string): Html => (
    <a
      href={withQuery(url, { show: name === "all" ? "all" : null, in_use: null, status: null, offset: null })}
      aria-current={current === name ? "page" : undefined}
    >
      {label}
      {current === name && rows.length > 0 ? <span class="count">{numberText(count)}</span> : null}
    </a>
  );
  return (
    <nav class="choice" aria-label="Certificates shown">
      {tab("use", "In use")}
      {tab("all", "All")}
    </nav>
  );
}

/** The choice of all columns, instead of their names. */
const EVERY_COLUMN = "all";
/** Long texts, which a table does not show. */
const LONG_FIELDS: readonly string[] = ["pem_content", "issuer_chain"];

/** Exports all matching certificates, in the order of their ids: `GET /certificates/export/?format=csv&<filters>`. */
export async function exportFiltered({ ctx, url }: Call): Promise<Response> {
  const params = cleanUrl(url).searchParams;
  params.delete("ordering");
  if (params.get("fields") === EVERY_COLUMN) {
    params.delete("fields");
    params.append("fields", EXPORT_FIELDS.filter((name) => !LONG_FIELDS.includes(name)).join(","));
  }
  return await download(ctx, await exportCertificates({ ctx, params, unlimited: true }));
}

/** Exports one certificate: `GET /certificates/<id>/export/?format=pem`. */
export async function exportOne(call: Call): Promise<Response> {
  const { ctx, query } = call;
  return await download(ctx, await exportCertificate({ ctx, id: idOf(call), params: query }));
}
