/** Tables of objects with sortable heads and selectable rows, and links to their pages. */

import { numberText } from "../../../base/amounts.ts";
import type { Content, Html } from "./html.ts";
import { withQuery } from "./texts.ts";

/** One column of rows of type `Row`. */
export interface Column<Row> {
  readonly label: string;
  /** Name for ordering; without one, the column cannot be sorted. */
  readonly sort?: string;
  cell(row: Row): Content;
  readonly layout?: readonly Layout[];
}

/**
 * How a column is shown. `number`: right-aligned. `p2` to `p4`: hidden when its table gets narrower, `p4` first
 * (`tables.css` has the widths). `share` and others: the share of a dense table beyond which values are truncated; default:
 * a large share for the first column, the width of the values for others. `folds`: a narrow table shows its values in lines
 * under those of the first column; `named`: with the label, `problems`: only states that need attention. `hidden-label`:
 * the label is only for screen readers.
 */
export type Layout =
  | "number"
  | "folds"
  | "named"
  | "problems"
  | "p2"
  | "p3"
  | "p4"
  | "share"
  | "wide-share"
  | "sentence-share"
  | "expiry-share"
  | "hidden-label";

function is({ layout = [] }: Pick<Column<never>, "layout">, word: Layout): boolean {
  return layout.includes(word);
}

/** Selection of rows; all rows can be selected by default. */
interface RowSelection<Row> {
  readonly form: string;
  readonly label: (row: Row) => string;
  readonly may?: (row: Row) => boolean;
}

/** Consecutive rows that belong together, under a heading. */
export interface RowGroups<Row> {
  /** Returns the key of a group; a single row has no heading. */
  key(row: Row): string;
  head(rows: readonly Row[]): Content;
}

/** Renders a table. With `select`, rows have checkboxes named `ids` that belong to the form with that id. */
export function Table<Row extends { readonly id?: unknown }>(
  { caption, columns, rows, url, sorted, select, dense, stacked, chosen, id, groups }: {
    caption: string;
    columns: readonly Column<Row>[];
    rows: readonly Row[];
    /** URL of the page, which the headers change; without it, columns cannot be sorted. */
    url?: URL;
    /** Current ordering; default: from the URL. */
    sorted?: string;
    select?: RowSelection<Row> | undefined;
    /** One line per row. */
    dense?: boolean;
    /** Whether a phone shows all values of a row below each other, with the labels of their columns. */
    stacked?: boolean;
    /** Whether the user has chosen the columns: all are shown, and the table scrolls horizontally if necessary. */
    chosen?: boolean;
    /** Id of the rows, for the skip link. */
    id?: string;
    groups?: RowGroups<Row> | undefined;
  },
): Html {
  const explaining = columns.some((column) => is(column, "sentence-share"));
  const width = columns.length + (select === undefined ? 0 : 1);
  const classes = columns.map((column, index) => classOf(column, index === 0));
  const names = columns.map((column, index) =>
    (stacked && index > 0) || is(column, "named") ? column.label : undefined
  );
  const line = (row: Row): Html => (
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
      {columns.map((column, index) =>
        // An unused attribute is a space in each cell of a long list.
        names[index] === undefined
          ? <td class={classes[index]}>{column.cell(row)}</td>
          : <td class={classes[index]} data-label={names[index]}>{column.cell(row)}</td>
      )}
    </tr>
  );
  return (
    <div
      class={[
        "table",
        dense ? "dense" : "",
        stacked ? "stacked" : "",
        columns.some((column) => is(column, "folds")) ? "folding" : "",
        chosen ? "chosen" : "",
        explaining ? "explaining" : "",
      ].filter(Boolean).join(" ")}
      role="group"
      aria-label={caption}
      // A table that never scrolls needs no focus.
      tabindex={dense && !chosen ? undefined : 0}
    >
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {select === undefined ? null : (
              <th class="choose">
                <input type="checkbox" aria-label="Select all rows" data-select-all hidden />
              </th>
            )}
            {columns.map((column, index) => (
              <Head
                column={column}
                first={index === 0}
                url={url}
                sorted={sorted}
              />
            ))}
          </tr>
        </thead>
        {(groups === undefined ? [rows] : groupsOf(rows, groups)).map((some, at) => (
          <tbody
            id={at === 0 ? id : undefined}
            tabindex={at > 0 || id === undefined ? undefined : -1}
            class={groups === undefined || some.length === 1 ? undefined : "grouped"}
          >
            {groups === undefined || some.length === 1 ? null : (
              <tr class="group">
                <th colspan={width} scope="colgroup">
                  <div>
                    <span>{groups.head(some)}</span>
                  </div>
                </th>
              </tr>
            )}
            {some.map(line)}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** Divides the rows into groups of consecutive rows with the same key. */
function groupsOf<Row>(rows: readonly Row[], { key }: RowGroups<Row>): readonly (readonly Row[])[] {
  const groups: Row[][] = [];
  let last: string | undefined;
  for (const row of rows) {
    const own = key(row);
    if (own === last) groups.at(-1)?.push(row);
    else groups.push([row]);
    last = own;
  }
  return groups;
}

function classOf<Row>({ layout = [] }: Column<Row>, first: boolean): string | undefined {
  const names = layout.filter((word) =>
    word !== "named" && word !== "hidden-label" && !(first && word.endsWith("share"))
  );
  return [...names, ...first ? ["first"] : []].join(" ") || undefined;
}

/** Renders a header; a click sorts, a second click reverses the order. */
function Head<Row>(
  { column, first, url, sorted }: {
    column: Column<Row>;
    first: boolean;
    url: URL | undefined;
    sorted: string | undefined;
  },
): Html {
  const { sort, label } = column;
  const ordering = sorted ?? url?.searchParams.get("ordering");
  const ascending = ordering === sort;
  const isSorted = sort !== undefined && url !== undefined && (ascending || ordering === `-${sort}`);
  const text = `${label}${isSorted ? ascending ? " ↑" : " ↓" : ""}`;
  return (
    <th
      scope="col"
      class={classOf(column, first)}
      aria-sort={isSorted ? ascending ? "ascending" : "descending" : undefined}
    >
      {is(column, "hidden-label")
        ? <span class="hidden">{label}</span>
        : sort === undefined || url === undefined
        ? text
        : <a href={withQuery(url, { ordering: ascending ? `-${sort}` : sort, offset: null })}>{text}</a>}
    </th>
  );
}

/** Renders the range of rows and links to other pages; only the count if there is one page. */
export function Pager(
  { url, count, limit, offset, label = "Pages" }: {
    url: URL;
    count: number;
    limit: number;
    offset: number;
    /** Label, which differs between two pagers of a page. */
    label?: string;
  },
): Html {
  const last = Math.min(offset + limit, count);
  const to = (start: number): string => withQuery(url, { offset: start <= 0 ? null : start });
  const range = count === 0
    ? "No entries"
    : `${numberText(offset + 1)}–${numberText(last)} of ${numberText(count)}`;
  return (
    <nav class="pager" aria-label={label}>
      <span>
        {offset >= count && count > 0 ? `No entries on this page, ${numberText(count)} in total` : range}
      </span>
      {count <= limit && offset === 0 ? null : (
        <span class="steps-through">
          <Step
            path={offset > 0 ? to(Math.min(offset, count) - limit) : undefined}
            label="Previous"
            sign="‹"
          />
          <Step path={last < count ? to(offset + limit) : undefined} label="Next" sign="›" />
        </span>
      )}
    </nav>
  );
}

/** Renders a link to a neighboring page; without one, its place. */
function Step(
  { path, label, sign }: { path: string | undefined; label: "Previous" | "Next"; sign: string },
): Html {
  return path === undefined
    ? <span aria-hidden="true">{sign}</span>
    : <a href={path} rel={label === "Next" ? "next" : "prev"} aria-label={label} title={label}>{sign}</a>;
}
