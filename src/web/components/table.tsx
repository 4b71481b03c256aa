/** Tables of objects with sortable heads and selectable rows. */

import type { Content, Html } from "./html.ts";
import { withQuery } from "./with_query.ts";

/** One column of rows of type `Row`. */
export interface Column<Row> {
  readonly label: string;
  /** Whether the label is only spoken. */
  readonly hidden?: boolean;
  /** Name for ordering; without one, the column cannot be sorted. */
  readonly sort?: string;
  readonly cell: (row: Row) => Content;
  /** Whether values are right-aligned. */
  readonly align?: "end";
  /** Whether the column is hidden on a phone. */
  readonly wide?: boolean;
  /** Whether cells have a sentence: in a dense table they may have several lines. */
  readonly sentences?: boolean;
}

/** Selection of rows; all rows can be selected by default. */
interface RowSelection<Row> {
  readonly form: string;
  readonly label: (row: Row) => string;
  readonly may?: (row: Row) => boolean;
}

/** Renders a table. With `select`, rows have checkboxes named `ids` that belong to the form with that id. */
export function Table<Row extends { readonly id?: unknown }>(
  { caption, columns, rows, url, sorted, select, dense, id }: {
    caption: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    /** Address of the page, which the headers change; without it, columns cannot be sorted. */
    url?: URL;
    /** Current ordering; default: from the address. */
    sorted?: string;
    select?: RowSelection<Row> | undefined;
    /** One line per row. */
    dense?: boolean;
    /** Id of the rows, to which the keyboard can skip. */
    id?: string;
  },
): Html {
  return (
    <div class={dense ? "table dense" : "table"} role="group" aria-label={caption} tabindex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {select === undefined ? null : (
              <th class="choose">
                <input type="checkbox" aria-label="Select all rows" data-select-all hidden />
              </th>
            )}
            {columns.map((column) => <Head column={column} url={url} sorted={sorted} />)}
          </tr>
        </thead>
        <tbody id={id} tabindex={id === undefined ? undefined : -1}>
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

function classOf<Row>({ align, wide, sentences }: Column<Row>): string | undefined {
  const names = [align === undefined ? "" : "number", wide ? "wide" : "", sentences ? "sentences" : ""];
  return names.filter(Boolean).join(" ") || undefined;
}

/** Renders a header; a click sorts, a second click reverses the order. */
function Head<Row>(
  { column, url, sorted }: { column: Column<Row>; url: URL | undefined; sorted: string | undefined },
): Html {
  const { label, sort, hidden } = column;
  if (sort === undefined || url === undefined) {
    return (
      <th scope="col" class={classOf(column)}>{hidden ? <span class="hidden">{label}</span> : label}</th>
    );
  }
  const ordering = sorted ?? url.searchParams.get("ordering");
  const direction = ordering === sort ? "ascending" : ordering === `-${sort}` ? "descending" : undefined;
  const next = withQuery(url, { ordering: direction === "ascending" ? `-${sort}` : sort, offset: null });
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction}>
      <a href={next}>{label}{direction === undefined ? "" : direction === "ascending" ? " ↑" : " ↓"}</a>
    </th>
  );
}
