/** Tables of objects with sortable heads and selectable rows. */

import type { Content, Html } from "./html.ts";
import { withQuery } from "./with_query.ts";

/** One column of rows of type `Row`. */
export interface Column<Row> {
  readonly label: string;
  /** The name by which the list is sorted; without one it is not. */
  readonly sort?: string;
  readonly cell: (row: Row) => Content;
  /** Numbers stand to the right. */
  readonly align?: "end";
  /** Less important: left out on a phone. */
  readonly wide?: boolean;
}

/** How rows are chosen; all of them may be unless told. */
interface Selecting<Row> {
  readonly form: string;
  readonly label: (row: Row) => string;
  readonly may?: (row: Row) => boolean;
}

/** A table. With `select`, each row that may be chosen has a box named `ids` that belongs to the form with that id. */
export function Table<Row extends { readonly id?: unknown }>(
  { caption, columns, rows, url, select }: {
    caption: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    /** The page's own address, which heads change; without one nothing is sorted. */
    url?: URL;
    select?: Selecting<Row> | undefined;
  },
): Html {
  return (
    <div class="table" role="region" aria-label={caption} tabindex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {select === undefined ? null : (
              <th class="choose">
                <input type="checkbox" aria-label="Select all rows" data-select-all hidden />
              </th>
            )}
            {columns.map((column) => <Head column={column} url={url} />)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {select === undefined ? null : (
                <td class="choose">
                  {select.may?.(row) === false ? null : (
                    <input
                      type="checkbox"
                      name="ids"
                      form={select.form}
                      value={String(row.id)}
                      aria-label={`Select ${select.label(row)}`}
                    />
                  )}
                </td>
              )}
              {columns.map((column) => <td class={classOf(column)}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ align, wide }: { align?: "end"; wide?: boolean }): string | undefined {
  if (align === undefined && !wide) return undefined;
  return [align === undefined ? "" : "number", wide ? "wide" : ""].filter(Boolean).join(" ");
}

/** A head: a click sorts by it, a second one the other way round. */
function Head<Row>({ column, url }: { column: Column<Row>; url: URL | undefined }): Html {
  const { label, sort } = column;
  if (sort === undefined || url === undefined) return <th scope="col" class={classOf(column)}>{label}</th>;
  const ordering = url.searchParams.get("ordering");
  const direction = ordering === sort ? "ascending" : ordering === `-${sort}` ? "descending" : undefined;
  const next = withQuery(url, { ordering: direction === "ascending" ? `-${sort}` : sort, offset: null });
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction}>
      <a href={next}>{label}{direction === undefined ? "" : direction === "ascending" ? " ↑" : " ↓"}</a>
    </th>
  );
}
