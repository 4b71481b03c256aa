/** The list of a resource's objects. */

import type { Out } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  type Column,
  type Content,
  ErrorSummary,
  type Html,
  Icon,
  Pager,
  type RowGroups,
  Table,
  truncate,
} from "../components/mod.ts";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { editableMany } from "./bulk_edit.tsx";
import {
  activeFilters,
  cleanListUrl,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
} from "../filters/filter_form.tsx";
import { ListMenus, loadViews, ViewTabs, viewTitle } from "./menus.tsx";
import { groupedBy, GroupMenu, groupTable } from "./groups.tsx";
import { cleanUrl, listedParams, type Listing, readListing } from "./read_list.ts";
import { may, permittedAmong } from "../detail/permitted_actions.ts";
import {
  countTabs,
  defaultsOf,
  isEmpty,
  ListTabs,
  NoRows,
  tabFilters,
  unfilteredPath,
  withFirstTab,
} from "./tabs.tsx";
import { BULK, SelectionBar } from "./selection_bar.tsx";
import { withoutExpiry } from "../reference/reference_text.ts";
import { allColumns, chosenNames, fieldsOfColumns, filledNames, nameColumn, usualNames } from "./columns.tsx";
import { BRIEF_FIELDS, objectTitle, type View } from "../view.ts";
import { countedObjects, listTitle, nounOf, pluralOf } from "../../type_label.ts";

/** What a page adds to its list. */
export interface ListSlots {
  /** The button that adds objects; default: the one that opens the form. */
  readonly add?: Content;
  /** Further buttons next to the title. */
  readonly actions?: Content;
  /** In place of the tabs of the view. */
  readonly tabs?: Content;
  /** Further menus. */
  readonly menus?: Content;
  /** Buttons for the selected rows, in addition to editing and deleting. */
  readonly selected?: Content;
  /** The bar for the selected rows, in place of that with these buttons. */
  readonly selection?: Content;
  /** Links for filters without matches. */
  readonly unmatched?: Content;
  readonly groups?: RowGroups<Out>;
  /** Whether a script loads the rows again, because they are about to change. */
  readonly refreshed?: boolean;
}

/** A page of a list as it was read, with the names of its columns. */
export interface ListedPage {
  readonly listing: Listing<Out>;
  readonly names: readonly string[];
}

/** Renders the list with search, filters and actions for selected objects. */
export async function listPage(
  given: Call,
  view: View,
  slotsOf: (listed: ListedPage) => ListSlots = () => ({}),
): Promise<Response> {
  const { resource } = view;
  const clean = await cleanListUrl(given, resource);
  if (clean instanceof Response) return clean;
  const call = { ...given, url: withFirstTab(view, clean.url) };
  const except = tabFilters(view, call.url);
  const usual = usualNames(view);
  const chosen = chosenNames(call, view);
  const names = chosen ?? usual;
  const [read, filters, saved] = await Promise.all([
    readListing(call, resource, {
      fields: BRIEF_FIELDS,
      columns: fieldsOfColumns(view, names),
      withDefaults: defaultsOf(view),
    }),
    loadFilters(call, { ...view, clean: { ...clean, url: cleanUrl(call.url) }, except }),
    loadViews(call, resource),
  ]);
  const { url, errors } = read;
  const slots = slotsOf({ listing: read, names });
  const wrong = Object.keys(errors).length > 0;
  const by = wrong ? undefined : groupedBy(call, view, url);
  const [empty, rows, active, selection, counts, groups] = await Promise.all([
    isEmpty(call, view, read),
    view.withMore?.(call, read.rows, names) ?? read.rows,
    activeFilters(call, { url, resource, filters, except }),
    selectionOf(call, view, { listing: read, slots }),
    countTabs(call, view, read),
    by === undefined ? undefined : groupTable(call, view, { url, by, count: read.count }),
  ]);
  const listing = { ...read, rows };
  const isAny = rows.length > 0;
  const shown = chosen ?? filledNames(view, usual, rows);
  const columns = allColumns(call, view, shown);
  const add = slots.add ?? <AddButton call={call} view={view} />;
  return page(
    call,
    {
      title: viewTitle(listTitle(view.resource), saved, url),
      actions: (
        <>
          {/* An empty list has the button in place of its rows. */}
          {empty ? null : add}
          {slots.actions}
        </>
      ),
      ...(wrong || (clean.draft?.errors.length ?? 0) > 0 ? { status: 400 } : {}),
      ...(isAny ? { rows: "#rows" } : {}),
    },
    <>
      <ErrorSummary
        errors={errors}
        shown={filters.rows.map(({ name }) => name)}
        labels={labelsOfFilters(filters)}
      >
        <a href={unfilteredPath(view)}>Show all {listTitle(view.resource).toLowerCase()}</a>
      </ErrorSummary>
      <ViewTabs url={url} resource={resource} views={saved} />
      <div class="list-bar">
        {/* Nothing can be searched before there are objects. */}
        {empty && !wrong ? null : (
          <FilterForm
            call={call}
            url={url}
            search={resource.search.fields.length > 0 ? listTitle(view.resource).toLowerCase() : undefined}
            filters={filters}
            errors={errors}
            except={except}
            usual={view.filters}
            matches={wrong ? undefined : `Matches ${countedObjects(resource, read.count)}`}
          />
        )}
        {slots.tabs ?? <ListTabs view={view} url={url} counts={counts} />}
        {/* That nothing matches may be the answer that is exported. */}
        {isAny || !(empty || wrong)
          ? (
            <ListMenus
              call={call}
              resource={resource}
              labels={columns.map(([name, { label }]) => [name, label])}
              names={names}
              saved={saved}
              listing={listing}
            >
              <GroupMenu call={call} view={view} url={url} />
              {slots.menus}
            </ListMenus>
          )
          : null}
        {isAny ? selection?.bar : null}
      </div>
      <FilterChips url={url} active={active} />
      {wrong
        ? null
        : groups !== undefined && isAny
        ? groups
        : isAny
        ? (
          <div id="listed" data-refresh={slots.refreshed === true ? "" : undefined}>
            <Rows
              view={view}
              columns={columns.filter(([name]) => shown.includes(name)).map(([, column]) => column)}
              isWide={names.some((name) => !usual.includes(name))}
              listing={listing}
              may={selection?.may}
              groups={slots.groups}
            />
          </div>
        )
        : <NoRows view={view} listing={listing} empty={empty} add={add} unmatched={slots.unmatched} />}
    </>,
  );
}

/** Renders the button that opens the form of a new object, if the user may add some. */
function AddButton({ call, view: { resource } }: { call: Call; view: View }): Html | null {
  return may(call, resource, "add")
    ? (
      <a role="button" href={`${listPath(resource)}new/`}>
        <Icon name="plus" />New {nounOf(resource)}
      </a>
    )
    : null;
}

/** The bar for selected rows. */
interface Selection {
  readonly bar: Content;
  /** Returns whether a row can be selected. */
  readonly may: (row: Out) => boolean;
}

/** Returns the bar for selected rows; undefined if the user can do nothing with any of them. */
async function selectionOf(
  call: Call,
  view: View,
  { listing, slots: { selection, selected = null } }: { listing: Listing<Out>; slots: ListSlots },
): Promise<Selection | undefined> {
  if (selection !== undefined) return { bar: selection, may: () => true };
  const { resource } = view;
  const ids = listing.rows.map(({ id }) => id);
  const [removable, editable] = await Promise.all([
    permittedAmong(call, resource, { action: "delete", ids }),
    editableMany(view) ? permittedAmong(call, resource, { action: "change", ids }) : new Set<number>(),
  ]);
  if (selected === null && removable.size + editable.size === 0) return undefined;
  const path = listPath(resource);
  return {
    may: ({ id }) => selected !== null || removable.has(id) || editable.has(id),
    bar: (
      <SelectionBar
        call={call}
        listing={listing}
        labelPlural={pluralOf(resource)}
        action={path}
        deletePath={removable.size > 0 ? path : undefined}
      >
        {selected}
        {editable.size > 0
          ? <button type="submit" formaction={`${path}bulk-edit/`} class="secondary">Edit…</button>
          : null}
      </SelectionBar>
    ),
  };
}

function Rows(
  { view, columns, isWide, listing: { rows, url, count, limit, offset }, may, groups }: {
    view: View;
    /** The columns after the name. */
    columns: readonly Column<Out>[];
    /** Whether the user has chosen columns for which the page may be too narrow. */
    isWide: boolean;
    listing: Listing<Out>;
    may: Selection["may"] | undefined;
    groups: RowGroups<Out> | undefined;
  },
): Html {
  const ordering = listedParams(url, defaultsOf(view)).get("ordering");
  return (
    <>
      <Table
        caption={listTitle(view.resource)}
        columns={[nameColumn(view), ...columns]}
        rows={rows}
        url={url}
        {...(ordering === null ? {} : { sorted: ordering })}
        dense
        chosen={isWide}
        id="rows"
        select={may === undefined
          ? undefined
          : { form: BULK, label: (row) => truncate(withoutExpiry(objectTitle(view, row))), may }}
        groups={groups}
      />
      <div class="toolbar under">
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} />
      </div>
    </>
  );
}
