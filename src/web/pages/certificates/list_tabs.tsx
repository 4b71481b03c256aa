/** Links between the usual parts of the list of certificates. */

import { numberText } from "../../../base/amounts.ts";
import { addDays, formatDate } from "../../../base/clock.ts";
import { type Html, withQuery } from "../../kit/components/mod.ts";
import type { Listing } from "../../kit/mod.ts";
import { showsUsed } from "./list_defaults.ts";

/** Renders the tabs "In use" and "All"; a filter by status is one within "All". */
export function Tabs({ listing: { url, count, rows } }: { listing: Listing }): Html {
  const params = url.searchParams;
  const current = showsUsed(params) ? "use" : "all";
  const tab = (name: "use" | "all", label: string): Html => (
    <a
      href={withQuery(url, { show: name === "all" ? "all" : null, in_use: null, status: null, offset: null })}
      aria-current={current === name ? "page" : undefined}
    >
      {label}
      {current === name && rows.length > 0 ? <span class="count">{numberText(count)}</span> : null}
    </a>
  );
  return (
    <>
      <nav class="choice" aria-label="Certificates shown">
        {tab("use", "In use")}
        {tab("all", "All")}
      </nav>
      <details class="menu">
        <summary role="button" class="secondary" aria-label="What is in use?">?</summary>
        <div>
          <p>
            In use are active and pending certificates, and without a successor also expired ones, and revoked
            ones that are still assigned or served. Archived ones do not count. All numbers of certificates
            mean these.
          </p>
        </div>
      </details>
    </>
  );
}

/** Days that the links above the filters offer. */
const EXPIRY_DAYS = [7, 30, 90];

/** Renders links to expired certificates, and to those that expire soon; other filters stay. */
export function Expiries({ url, now }: { url: URL; now: number }): Html {
  const { searchParams: params } = url;
  const day = (days: number): string => formatDate(addDays(now, days));
  const none = { overdue: null, valid_to__gte: null, valid_to__lte: null, offset: null };
  const link = (label: string, changes: Readonly<Record<string, string>>): Html => {
    const current = Object.entries(changes).every(([name, value]) => params.get(name) === value);
    return (
      <a href={withQuery(url, { ...none, ...changes })} aria-current={current ? "true" : undefined}>
        {label}
      </a>
    );
  };
  return (
    <nav class="labelled-choice" aria-labelledby="expiry-choice">
      <span id="expiry-choice">Expiry</span>
      <span class="choice">
        {link("Expired", { overdue: "true" })}
        {EXPIRY_DAYS.map((days) =>
          link(`In ${days} days`, { valid_to__gte: day(0), valid_to__lte: day(days) })
        )}
      </span>
    </nav>
  );
}
