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
import { type Html, Icon, withQuery } from "../../kit/components/mod.ts";
import { type Listing, listPage, may, SelectionBar } from "../../kit/mod.ts";
import { AddButton } from "../imports/mod.ts";
import { usualColumns } from "./columns.tsx";
import { showsUsed, withDefaults } from "./list_defaults.ts";
import { Expiries, Tabs } from "./list_tabs.tsx";
import { certificateView } from "./view.tsx";

/** Renders the list with search, filters, columns and bulk actions. */
export async function certificateList(call: Call): Promise<Response> {
  const view = { ...certificateView, usual: usualColumns(call) };
  return await listPage(call, view, ({ listing, names }) => {
    const { url, count } = listing;
    return {
      add: <AddButton call={call} />,
      presets: <Expiries url={url} now={call.ctx.clock.now()} />,
      tabs: <Tabs listing={listing} />,
      menus: <ExportForm url={url} count={count} columns={names} feeds={may(call, calendarFeeds, "add")} />,
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
  const shown = ["common_name", ...columns].filter((name) =>
    EXPORT_FIELDS.includes(name) || name.startsWith(CUSTOM_PREFIX)
  );
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
