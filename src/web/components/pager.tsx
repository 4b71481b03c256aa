/** Links to the pages of a list. */

import type { Html } from "./html.ts";
import { withQuery } from "./with_query.ts";

/** Renders the range of rows and links to other pages; only the count if there is one page. */
export function Pager(
  { url, count, limit, offset }: { url: URL; count: number; limit: number; offset: number },
): Html {
  const last = Math.min(offset + limit, count);
  const to = (start: number): string => withQuery(url, { offset: start <= 0 ? null : start });
  const range = count === 0
    ? "No entries"
    : `${(offset + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${count.toLocaleString("en")}`;
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {offset >= count && count > 0
          ? `No entries on this page, ${count.toLocaleString("en")} in total`
          : range}
      </span>
      {offset > 0 ? <a href={to(0)}>First</a> : null}
      {offset > 0 ? <a href={to(Math.min(offset, count) - limit)} rel="prev">Previous</a> : null}
      {last < count ? <a href={to(offset + limit)} rel="next">Next</a> : null}
    </nav>
  );
}
