/** The list of a resource's objects. */

import type { AnyObject } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { ErrorSummary, type Html, Pager, Table, truncate } from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { editableMany } from "./bulk_edit.tsx";
import { activeFilters, FilterChips } from "../filters/filter_chips.tsx";
import { FilterForm, labelsOfFilters, loadFilters } from "../filters/filter_form.tsx";
import { DownloadLink, ListButtons } from "./list_buttons.tsx";
import { ListMenus } from "./list_menus.tsx";
import { countRows, type Listing, readListing } from "./read_list.ts";
import { redirectToClean } from "./redirect_to_clean.ts";
import { permittedAmong } from "../detail/permitted_actions.ts";
import { defaultsOf, isFirstTab, unfilteredPath, withFirstTab } from "./list_defaults.ts";
import { isEmpty, NoRows } from "./no_rows.tsx";
import { PrintNote } from "./print_note.tsx";
import { BULK, SelectionBar } from "./selection_bar.tsx";
import { allColumns, chosenColumns, fieldsOfColumns, filledColumns, nameColumn } from "./list_columns.tsx";
import { listTitle, loadViews } from "./view_menu.tsx";
import { countTabs, ListTabs, tabFilters } from "./list_tabs.tsx";
import { BRIEF_FIELDS, objectTitle, titleOf, type View } from "../view.ts";
import { pluralOf } from "../../type_label.ts";

/** Renders the list with search, filters and actions for selected objects. */
export async function listPage(given: Call, view: View): Promise<Response> {
  const { resource } = view;
  const call = { ...given, url: withFirstTab(view, given.url) };
  const clean = await redirectToClean(given, resource);
  if (clean !== undefined) return clean;
  const names = chosenColumns(call, view);
  const [listing, filters, saved] = await Promise.all([
    readListing(call, resource, {
      fields: BRIEF_FIELDS,
      columns: fieldsOfColumns(view, names),
      withDefaults: defaultsOf(view),
    }),
    loadFilters(call, view),
    loadViews(call, resource),
  ]);
  // A list that opens with its first tab shows whether there are other objects.
  const empty = isEmpty(view, listing) ||
    listing.count === 0 && isFirstTab(view, call.url) && await countRows(call, resource, {}) === 0;
  const wrong = Object.keys(listing.errors).length > 0;
  const ids = listing.rows.map(({ id }) => id);
  const rows = await view.withMore?.(call, listing.rows, names) ?? listing.rows;
  const [active, removable, editable, counts] = await Promise.all([
    activeFilters(call, { url: listing.url, resource, filters, except: tabFilters(view, listing.url) }),
    permittedAmong(call, resource, { action: "delete", ids }),
    editableMany(view) ? permittedAmong(call, resource, { action: "change", ids }) : new Set<number>(),
    countTabs(call, view, listing),
  ]);
  const own = view.bulkActions?.(call) ?? null;
  const selects = listing.rows.length > 0 && (removable.size > 0 || editable.size > 0 || own !== null);
  const mayBeSelected = ({ id }: AnyObject): boolean => own !== null || removable.has(id) || editable.has(id);
  return page(
    call,
    {
      title: listTitle(titleOf(view), saved, listing.url),
      actions: (
        <>
          <DownloadLink view={view} url={listing.url} />
          <ListButtons call={call} view={view} empty={empty} />
        </>
      ),
      ...(wrong ? { status: 400 } : {}),
      ...(listing.rows.length === 0 ? {} : { rows: "#rows" }),
    },
    <>
      <ErrorSummary
        errors={listing.errors}
        shown={filters.map(({ name }) => name)}
        labels={labelsOfFilters(call, resource, filters)}
      >
        <a href={unfilteredPath(view)}>Show all {titleOf(view).toLowerCase()}</a>
      </ErrorSummary>
      <div class="list-bar">
        {/* Nothing can be searched before there are objects. */}
        {empty && !wrong ? null : (
          <FilterForm
            url={listing.url}
            search={resource.searchFields.length > 0 ? titleOf(view).toLowerCase() : undefined}
            filters={filters}
            errors={listing.errors}
            except={tabFilters(view, listing.url)}
          />
        )}
        <ListTabs view={view} url={listing.url} counts={counts} />
        {listing.rows.length === 0 ? null : (
          <ListMenus
            call={call}
            resource={resource}
            labels={allColumns(call, view).map(([name, { label }]) => [name, label])}
            names={names}
            saved={saved}
            listing={listing}
          />
        )}
        {selects
          ? (
            <SelectionBar
              call={call}
              listing={listing}
              labelPlural={pluralOf(resource)}
              action={listPath(resource)}
              deletePath={removable.size > 0 ? listPath(resource) : undefined}
            >
              {own}
              {editable.size > 0
                ? (
                  <button type="submit" formaction={`${listPath(resource)}bulk-edit/`} class="secondary">
                    Edit…
                  </button>
                )
                : null}
            </SelectionBar>
          )
          : null}
      </div>
      <FilterChips url={listing.url} active={active} />
      <PrintNote call={call} listing={listing} />
      {wrong ? null : (
        <Rows
          call={call}
          view={view}
          names={filledColumns(view, names, rows)}
          listing={{ ...listing, rows }}
          empty={empty}
          {...(selects ? { mayBeSelected } : {})}
        />
      )}
    </>,
  );
}

function Rows(
  { call, view, names, listing, empty, mayBeSelected }: {
    call: Call;
    view: View;
    /** Names of the columns. */
    names: readonly string[];
    listing: Listing<AnyObject>;
    /** Whether the list would be empty without filters, too. */
    empty: boolean;
    /** Returns whether a row can be selected for an action; undefined if none can. */
    mayBeSelected?: (row: AnyObject) => boolean;
  },
): Html {
  const { rows, url, count, limit, offset } = listing;
  if (rows.length === 0) return <NoRows call={call} view={view} listing={listing} empty={empty} />;
  const chosen = allColumns(call, view, names).filter(([name]) => names.includes(name));
  const label = (row: AnyObject): string => truncate(objectTitle(view, row));
  return (
    <>
      <Table
        caption={titleOf(view)}
        columns={[nameColumn(view), ...chosen.map(([, column]) => column)]}
        rows={rows}
        url={url}
        {...(view.ordering === undefined || url.searchParams.has("ordering")
          ? {}
          : { sorted: view.ordering })}
        dense
        chosen={names.some((name) => !view.columns.includes(name))}
        id="rows"
        select={mayBeSelected === undefined ? undefined : { form: BULK, label, may: mayBeSelected }}
        groups={view.groups}
      />
      <div class="toolbar under">
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} jump />
      </div>
    </>
  );
}
