/** The active filters of a list, each with a link that removes it. */

import { type Html, Icon } from "../components/mod.ts";
import {
  type Filter,
  filterLabel,
  type Labels,
  MAX_FILTER_CHIPS,
  NO_LABELS,
  UNFILTERED,
  withFilters,
} from "./filter_form.tsx";

/** An active filter; duplicates count once. */
interface ActiveFilter {
  readonly label: string;
  /** Value in the address. */
  readonly encoded: string;
}

function activeFilters(
  url: URL,
  { filters, labels, except }: { filters: readonly Filter[]; labels: Labels; except: readonly string[] },
): ActiveFilter[] {
  const byName = new Map(filters.map((filter) => [filter.name, filter]));
  const found = new Map<string, ActiveFilter>();
  for (const [name, value] of url.searchParams) {
    if (UNFILTERED.includes(name) || except.includes(name)) continue;
    const encoded = String(new URLSearchParams([[name, value]]));
    if (found.has(encoded)) continue;
    const filter = byName.get(name);
    const shown = filter?.options?.find(([option]) => option === value)?.[1] ??
      (value === "null" ? "none" : value);
    found.set(encoded, { label: `${filter?.label ?? filterLabel(name, labels)}: ${shown}`, encoded });
  }
  return [...found.values()];
}

/**
 * Renders the active filters with links that remove them. Each link has all other filters, so their number is limited.
 */
export function FilterChips(
  { url, filters, labels = NO_LABELS, except = [] }: {
    url: URL;
    filters: readonly Filter[];
    /** Labels of custom fields by name (`cf_rack`), for filters without a field in the form. */
    labels?: Labels;
    /** Names of filters that a tab shows. */
    except?: readonly string[];
  },
): Html | null {
  const on = activeFilters(url, { filters, labels, except });
  if (on.length === 0) return null;
  const kept = [...url.searchParams].filter(([name]) => except.includes(name))
    .map((one) => String(new URLSearchParams([one])));
  const without = (left: readonly ActiveFilter[]): string =>
    withFilters(url, [...kept, ...left.map(({ encoded }) => encoded)]);
  const shown = on.length > MAX_FILTER_CHIPS ? on.slice(0, MAX_FILTER_CHIPS) : on;
  return (
    <p class="chips">
      {shown.map((one) => <Chip label={one.label} href={without(on.filter((other) => other !== one))} />)}
      {shown.length === on.length
        ? null
        : <Chip label={`${on.length - shown.length} more`} href={without(shown)} />}
      {on.length === 1 ? null : <a href={without([])}>Clear all</a>}
    </p>
  );
}

function Chip({ label, href }: { label: string; href: string }): Html {
  return (
    <a class="chip" href={href} aria-label={`Remove filter ${label}`}>
      <bdi>{label}</bdi>
      <Icon name="cross" />
    </a>
  );
}
