/** The list of a resource's objects. */

import type { Call } from "../call.ts";
import {
  type Column,
  type Content,
  ErrorSummary,
  type Html,
  Name,
  Pager,
  type Priority,
  spokenName,
  Table,
  truncate,
} from "../components/mod.ts";
import { CUSTOM_COLUMN, type Field, shapeOf } from "../../resource/mod.ts";
import { capitalized, labelOf } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { customColumns, MAX_COLUMNS, requestedColumns } from "./column_menu.tsx";
import { customLabels } from "./custom_filters.ts";
import { editableMany } from "./bulk_edit.tsx";
import { FilterChips } from "./filter_chips.tsx";
import { FilterForm, loadFilters } from "./filter_form.tsx";
import { DownloadLink, ListButtons } from "./list_buttons.tsx";
import { ListMenus } from "./list_menus.tsx";
import { countRows, type Listing, readListing, redirectToClean } from "./listing.ts";
import { permittedAmong } from "./permitted_actions.ts";
import { isFirstTab, orderingOf, unfilteredPath, withFirstTab } from "./list_defaults.ts";
import { isEmpty, NoRows } from "./no_rows.tsx";
import { PrintNote } from "./print_note.tsx";
import { BULK, DeleteButton, SelectionBar } from "./selection_bar.tsx";
import { Cell } from "./cell.tsx";
import { loadViews } from "./view_menu.tsx";
import { ListTabs, tabFilters } from "./list_tabs.tsx";
import { type ApiObject, nameFields, objectTitle, titleOf, type View } from "./view.ts";

/** Renders the list with search, filters and actions for selected objects. */
export async function listPage(given: Call, view: View): Promise<Response> {
  const { resource } = view;
  const call = { ...given, url: withFirstTab(view, given.url) };
  const clean = redirectToClean(given, resource);
  if (clean !== undefined) return clean;
  const names = selectedColumns(call, view);
  const [listing, filters, saved] = await Promise.all([
    readListing(call, resource, {
      fields: neededFields(view, names),
      withDefaults: orderingOf(view),
    }),
    loadFilters(call, view),
    loadViews(call, resource),
  ]);
  // A list that opens with its first tab says whether there is anything else.
  const empty = isEmpty(listing) ||
    listing.count === 0 && isFirstTab(view, call.url) && await countRows(call, resource, {}) === 0;
  const wrong = Object.keys(listing.errors).length > 0;
  const ids = listing.rows.map(({ id }) => id);
  const rows = await view.withMore?.(call, listing.rows) ?? listing.rows;
  const [removable, editable] = await Promise.all([
    permittedAmong(call, resource, { action: "delete", ids }),
    editableMany(view) ? permittedAmong(call, resource, { action: "change", ids }) : new Set<number>(),
  ]);
  const own = view.bulkActions?.(call) ?? null;
  const selects = listing.rows.length > 0 && (removable.size > 0 || editable.size > 0 || own !== null);
  const mayBeSelected = ({ id }: ApiObject): boolean => own !== null || removable.has(id) || editable.has(id);
  return page(
    call,
    {
      title: titleOf(view),
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
      <ErrorSummary errors={listing.errors} shown={filters.map(({ name }) => name)}>
        <a href={unfilteredPath(view)}>Show all {titleOf(view).toLowerCase()}</a>
      </ErrorSummary>
      <div class="list-bar">
        <FilterForm
          url={listing.url}
          search={resource.searchFields.length > 0 ? titleOf(view).toLowerCase() : undefined}
          filters={filters}
          errors={listing.errors}
        />
        <ListTabs view={view} url={listing.url} />
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
              labelPlural={resource.labelPlural}
              action={listPath(resource)}
            >
              {own}
              {editable.size > 0
                ? (
                  <button type="submit" formaction={`${listPath(resource)}bulk-edit/`} class="secondary">
                    Edit…
                  </button>
                )
                : null}
              {removable.size > 0 ? <DeleteButton path={listPath(resource)} /> : null}
            </SelectionBar>
          )
          : null}
      </div>
      <FilterChips
        url={listing.url}
        filters={filters}
        labels={customLabels(call, resource)}
        except={tabFilters(view, listing.url)}
      />
      <PrintNote call={call} listing={listing} />
      {wrong ? null : (
        <Rows
          call={call}
          view={view}
          names={names}
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
    listing: Listing;
    /** Whether nothing would be listed without filters either. */
    empty: boolean;
    /** Whether the user may do something with a row and others; absent: with none. */
    mayBeSelected?: (row: ApiObject) => boolean;
  },
): Html {
  const { rows, url, count, limit, offset } = listing;
  if (rows.length === 0) return <NoRows call={call} view={view} listing={listing} empty={empty} />;
  const chosen = allColumns(call, view).filter(([name]) => names.includes(name));
  const label = (row: ApiObject): string => truncate(objectTitle(view, row));
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

/** Returns the column with the name as a link. */
function nameColumn(view: View): Column<ApiObject> {
  const { resource } = view;
  const { listName } = view;
  const sorted = (listName?.needs ?? view.title?.needs ?? resource.displayNeeds)[0];
  const nameOf = (row: ApiObject): string => listName?.of(row) ?? objectTitle(view, row);
  return {
    label: view.nameLabel ?? capitalized(resource.label),
    ...(sorted !== undefined && sortable(view, sorted) ? { sort: sorted } : {}),
    cell: (row) => (
      <a
        href={objectPath(resource, row.id)}
        class="object"
        title={spokenName(nameOf(row))}
        aria-label={spokenName(nameOf(row))}
      >
        <Name text={nameOf(row)} />
      </a>
    ),
  };
}

/** Priorities of the columns in the order of a view: a phone shows the name and the first. */
const PRIORITIES: readonly Priority[] = [1, 2, 3, 3];

/** Returns the columns of the view and those of custom fields. */
function allColumns(call: Call, view: View): (readonly [name: string, Column<ApiObject>])[] {
  const { resource } = view;
  const own = ownColumns(view).map((name, index) => {
    const field = resource.fields[name];
    if (field === undefined) {
      throw new Error(`View of ${resource.objectType} names an unknown field "${name}"`);
    }
    const column: Column<ApiObject> = {
      label: view.cells?.[name]?.label ?? labelOf(name),
      ...(sortable(view, name) ? { sort: view.sorts?.[name] ?? name } : {}),
      cell: (row) => <Cell view={view} field={field} row={row} />,
      ...layoutOf(view, field, index),
    };
    return [name, column] as const;
  });
  return [...own, ...customColumns(call, resource)];
}

/** Returns the names of the columns that are fields of the resource. */
function ownColumns({ columns, moreColumns = [] }: View): readonly string[] {
  return [...columns, ...moreColumns];
}

/** Returns how a column uses the width; what a phone has no room for stands under the name, in its second place. */
function layoutOf(view: View, field: Field, index: number): Partial<Column<ApiObject>> {
  const { kind } = shapeOf(field);
  const cut = !["choice", "boolean", "datetime", "number", "integer"].includes(kind);
  const sentence = view.sentences?.[field.name] !== undefined;
  const long = cut && view.cells?.[field.name] !== undefined;
  const under = (row: ApiObject): Content => <Cell view={view} field={field} row={row} />;
  const second = index === 1 && view.sentences === undefined && kind !== "boolean";
  return {
    // On a phone a value with its sentence takes the line under the name.
    priority: sentence ? 2 : PRIORITIES[index] ?? 4,
    ...(sentence
      ? { width: "sentence-share" as const }
      : long
      ? { width: "wide-share" as const }
      : cut
      ? { width: "share" as const }
      : {}),
    ...(sentence || second ? { under } : {}),
  };
}

/** Returns the columns of the address or of the user; without one, those of the view. */
function selectedColumns(call: Call, view: View): readonly string[] {
  const requested = requestedColumns(call, view.resource);
  const known = allColumns(call, view).map(([name]) => name).filter((name) => requested.includes(name));
  return known.length > 0 ? known.slice(0, MAX_COLUMNS) : view.columns;
}

/** Returns the fields that columns and the name read. */
function neededFields(view: View, names: readonly string[]): string[] {
  const own = names.flatMap((name) =>
    ownColumns(view).includes(name)
      ? [name, view.sentences?.[name] ?? name, ...view.cells?.[name]?.needs ?? []]
      : [CUSTOM_COLUMN]
  );
  const more = [...view.listName?.needs ?? [], ...view.groups?.needs ?? []];
  return [...new Set([...own, ...nameFields(view), ...more])];
}

function sortable({ resource }: View, name: string): boolean {
  const filter = resource.fields[name]?.filters[name];
  return filter !== undefined && "sortable" in filter && filter.sortable;
}
