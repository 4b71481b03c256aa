/** The list of a resource's objects. */

import type { Call } from "../call.ts";
import {
  type Column,
  EmptyState,
  ErrorSummary,
  Form,
  type Html,
  Icon,
  Pager,
  Table,
  truncate,
} from "../components/mod.ts";
import { capitalized, labelOf } from "../messages.ts";
import { listPath, objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { FilterForm, loadFilters } from "./filter_form.tsx";
import { type Listing, readListing } from "./listing.ts";
import { may, permittedAmong } from "./permitted_actions.ts";
import { displayValue } from "./value.tsx";
import { type ApiObject, nameFields, nameOf, titleOf, type View } from "./view.ts";

const BULK = "bulk";

/** The list: search, filters, a table, and what may be done with the chosen ones. */
export async function listPage(call: Call, view: View): Promise<Response> {
  const { resource } = view;
  const [listing, filters] = await Promise.all([
    readListing(call, resource, { fields: [...view.columns, ...nameFields(view)] }),
    loadFilters(call, view),
  ]);
  const wrong = Object.keys(listing.errors).length > 0;
  const ids = listing.rows.map(({ id }) => id);
  const removable = await permittedAmong(call, resource, { action: "delete", ids });
  return page(
    call,
    {
      title: titleOf(view),
      actions: <NewButton call={call} view={view} />,
      ...(wrong ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary errors={listing.errors} shown={view.filters} />
      <FilterForm
        url={listing.url}
        searchable={resource.searchFields.length > 0}
        filters={filters}
        errors={listing.errors}
      />
      {wrong ? null : <Rows call={call} view={view} listing={listing} removable={removable} />}
    </>,
  );
}

function NewButton({ call, view: { resource } }: { call: Call; view: View }): Html | null {
  if (!may(call, resource, "add")) return null;
  return (
    <a role="button" href={`${listPath(resource)}new/`}>
      <Icon name="plus" />New {resource.label}
    </a>
  );
}

function Rows(
  { call, view, listing, removable }: {
    call: Call;
    view: View;
    listing: Listing;
    /** Ids of the objects that the user may delete. */
    removable: ReadonlySet<number>;
  },
): Html {
  const { resource } = view;
  const { rows, url, count, limit, offset } = listing;
  if (rows.length === 0) return <NoRows call={call} view={view} listing={listing} />;
  const select = {
    form: BULK,
    label: (row: ApiObject): string => truncate(nameOf(view, row)),
    may: ({ id }: ApiObject): boolean => removable.has(id),
  };
  return (
    <>
      <Table
        caption={titleOf(view)}
        columns={columnsOf(view)}
        rows={rows}
        url={url}
        select={removable.size > 0 ? select : undefined}
      />
      <div class="toolbar under">
        {removable.size > 0
          ? (
            <Form call={call} action={`${listPath(resource)}delete/`} id={BULK} class="inline">
              <button type="submit" class="secondary small">
                <Icon name="trash" />Delete selected
              </button>
            </Form>
          )
          : null}
        <div class="grow"></div>
        <Pager url={url} count={count} limit={limit} offset={offset} />
      </div>
    </>
  );
}

function NoRows({ call, view, listing }: { call: Call; view: View; listing: Listing }): Html {
  const { resource } = view;
  const { url, count } = listing;
  if (count > 0) {
    return (
      <EmptyState text="No entries on this page.">
        <a href={listPath(resource)}>Go to the first page</a>
      </EmptyState>
    );
  }
  if (url.search !== "") {
    return (
      <EmptyState text={`No ${resource.labelPlural} match these filters.`}>
        <a href={listPath(resource)}>Show all {resource.labelPlural}</a>
      </EmptyState>
    );
  }
  return (
    <EmptyState text={view.empty}>
      {may(call, resource, "add")
        ? <a role="button" href={`${listPath(resource)}new/`}>Create {resource.label}</a>
        : null}
    </EmptyState>
  );
}

/** The object's name, which leads to its page, and the view's columns; the first three stay on a phone. */
function columnsOf(view: View): Column<ApiObject>[] {
  const { resource, columns } = view;
  const sorted = (view.title?.needs ?? resource.displayNeeds)[0];
  const name: Column<ApiObject> = {
    label: capitalized(resource.label),
    ...(sorted !== undefined && sortable(view, sorted) ? { sort: sorted } : {}),
    cell: (row) => (
      <a href={objectPath(resource, row.id)} class="object">
        <bdi>{truncate(nameOf(view, row))}</bdi>
      </a>
    ),
  };
  const others = columns.flatMap((column, index): Column<ApiObject>[] => {
    const field = resource.fields[column];
    if (field === undefined) {
      throw new Error(`View of ${resource.objectType} names an unknown field "${column}"`);
    }
    return [{
      label: labelOf(column),
      ...(sortable(view, column) ? { sort: column } : {}),
      cell: (row) => displayValue(view, field, row[column]),
      ...(index > 1 ? { wide: true } : {}),
    }];
  });
  return [name, ...others];
}

function sortable({ resource }: View, name: string): boolean {
  const filter = resource.fields[name]?.filters[name];
  return filter !== undefined && "sortable" in filter && filter.sortable;
}
