/** Tables of objects with sortable heads and selectable rows. */

import type { Content, Html } from "./html.ts";
import { withQuery } from "./with_query.ts";

/** One column of rows of type `Row`. */
export interface Column<Row> {
  readonly label: string;
  /** Name for ordering; without one, the column cannot be sorted. */
  readonly sort?: string;
  cell(row: Row): Content;
  readonly layout?: readonly Layout[];
  /** Content under the first column where this column is hidden; empty for nothing. */
  under?(row: Row): Content;
}

/**
 * How a column is shown. `number`: right-aligned. `p2` to `p4`: hidden when its table gets narrower, `p4` first
 * (`tables.css` has the widths). `share` and others: the share of a dense table beyond which values are truncated; default:
 * a large share for the first column, the width of the values for others. `folds`: a phone shows what is `under` it in a line
 * under the first column, which then has the whole width. `leads`: what is `under` it comes before that of other columns.
 * `hidden-label`: the label is only for screen readers.
 */
export type Layout =
  | "number"
  | "folds"
  | "p2"
  | "p3"
  | "p4"
  | "share"
  | "wide-share"
  | "sentence-share"
  | "expiry-share"
  | "leads"
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
  /** Returns what the other rows of a collapsed group are: "5 more changes". */
  readonly others: (count: number) => string;
}

/**
 * A group shows this number of rows, and a line below them expands the others. The line is not shown in place of a
 * single row, nor in the only group of a page.
 */
const SHOWN_OF_GROUP = 3;

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
        stacked
          // An unused attribute is a space in each cell of a long list.
          ? (
            <td class={classes[index]} data-label={index > 0 ? column.label : undefined}>
              {column.cell(row)}
            </td>
          )
          : (
            <td class={classes[index]}>
              {column.cell(row)}
              {index === 0 ? Under({ columns, row }) : null}
            </td>
          )
      )}
    </tr>
  );
  return (
    <div
      class={[
        "table",
        dense ? "dense" : "",
        stacked ? "stacked" : "",
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
                folded={index === 0 ? columns.filter((one) => is(one, "folds")) : []}
              />
            ))}
          </tr>
        </thead>
        {(groups === undefined ? [rows] : groupsOf(rows, groups)).map((some, at, { length }) => (
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
            {groups === undefined || length === 1 || some.length <= SHOWN_OF_GROUP + 1 ? some.map(line) : (
              <>
                {some.slice(0, SHOWN_OF_GROUP).map(line)}
                <OtherRows label={groups.others(some.length - SHOWN_OF_GROUP)} width={width} />
                {some.slice(SHOWN_OF_GROUP).map(line)}
              </>
            )}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** Renders the line of a group that expands the rows below it: the style sheet hides these while it is closed. */
function OtherRows({ label, width }: { label: string; width: number }): Html {
  return (
    <tr class="others">
      <td colspan={width}>
        <details>
          <summary>
            <span class="closed">Show {label}</span>
            <span class="opened">Hide {label}</span>
          </summary>
        </details>
      </td>
    </tr>
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

/**
 * Renders the line under the first column of a narrow table, with the content of hidden columns. `tables.css` adds the
 * separators of the parts that it shows.
 */
function Under<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }): Html | null {
  const part = (content: Content, name?: string): Html | null => {
    if (content === undefined || content === null || content === "") return null;
    const html = name === undefined ? <span>{content}</span> : <span class={name}>{content}</span>;
    // A component may render nothing, which only its text shows.
    return /^<span[^>]*><\/span>$/.test(String(html)) ? null : html;
  };
  const ranks = [[], [], []] as (Html | null)[][];
  for (const column of columns) {
    const folds = is(column, "folds");
    const rank = is(column, "leads") ? 0 : folds ? 1 : 2;
    ranks[rank]?.push(part(column.under?.(row), folds ? "folded" : undefined));
  }
  const parts = ranks.flat().filter((one) => one !== null);
  return parts.length === 0 ? null : <div class="narrow">{parts}</div>;
}

function classOf<Row>({ layout = [] }: Column<Row>, first: boolean): string | undefined {
  const names = layout.filter((word) =>
    word !== "leads" && word !== "hidden-label" && !(first && word.endsWith("share"))
  );
  return [...names, ...first ? ["first"] : []].join(" ") || undefined;
}

/** Renders a header; a click sorts, a second click reverses the order. */
function Head<Row>(
  { column, first, url, sorted, folded }: {
    column: Column<Row>;
    first: boolean;
    url: URL | undefined;
    sorted: string | undefined;
    /** Columns that a phone shows under this one, for their sort links. */
    folded: readonly Column<Row>[];
  },
): Html {
  const { sort, label } = column;
  const ordering = sorted ?? url?.searchParams.get("ordering");
  const direction = sort === undefined || url === undefined
    ? undefined
    : ordering === sort
    ? "ascending"
    : ordering === `-${sort}`
    ? "descending"
    : undefined;
  return (
    <th scope="col" class={classOf(column, first)} aria-sort={direction}>
      {is(column, "hidden-label")
        ? <span class="hidden">{label}</span>
        : <HeadLabel column={column} url={url} ordering={ordering} />}
      {folded.map((one) => (
        <span class="folded">
          {" · "}
          <HeadLabel column={one} url={url} ordering={ordering} />
        </span>
      ))}
    </th>
  );
}

/** Renders a label, as a link if the column can be sorted. */
function HeadLabel<Row>(
  { column: { label, sort }, url, ordering }: {
    column: Column<Row>;
    url: URL | undefined;
    ordering: string | null | undefined;
  },
): Html {
  if (sort === undefined || url === undefined) return <>{label}</>;
  const ascending = ordering === sort;
  const sign = ascending ? " ↑" : ordering === `-${sort}` ? " ↓" : "";
  const next = withQuery(url, { ordering: ascending ? `-${sort}` : sort, offset: null });
  return <a href={next}>{label}{sign}</a>;
}
