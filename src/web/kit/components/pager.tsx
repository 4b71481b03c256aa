/** Links to the pages of a list. */

import { numberText } from "../../../base/amounts.ts";
import type { Html } from "./html.ts";
import { withQuery } from "./with_query.ts";

/**
 * Renders the range of rows and links to other pages; only the count if there is one page. With `jump`, there is a
 * field for the number of a page.
 */
export function Pager(
  { url, count, limit, offset, jump = false, label = "Pages" }: {
    url: URL;
    count: number;
    limit: number;
    offset: number;
    jump?: boolean;
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
      {jump && count > 2 * limit
        ? <Jump url={url} pages={Math.ceil(count / limit)} page={Math.floor(offset / limit) + 1} />
        : null}
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

/** Renders a form that opens a page by its number. */
function Jump({ url, pages, page }: { url: URL; pages: number; page: number }): Html {
  const kept = [...url.searchParams].filter(([name]) => name !== "offset" && name !== "page");
  return (
    <form method="get" action={url.pathname} class="jump">
      {kept.map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <label>
        Page{" "}
        <input
          type="number"
          name="page"
          min="1"
          max={String(pages)}
          value={String(Math.min(page, pages))}
          required
        />{" "}
        of {numberText(pages)}
      </label>
      <button type="submit" class="secondary small">Go</button>
    </form>
  );
}
