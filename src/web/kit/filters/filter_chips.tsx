/** The filters of a list in words: the active ones with links that remove them, and those of a stored query. */

import { numberText } from "../../../base/amounts.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon } from "../components/mod.ts";
import { type Filter, MAX_FILTER_CHIPS, UNFILTERED, withFilters } from "./filter_form.tsx";
import { type FilterInWords, filtersInWords } from "./filter_words.ts";

/** The active filters of a list; duplicates count once. */
export interface ActiveFilters {
  readonly shown: readonly FilterInWords[];
  /** The others, as in a URL: each chip has a link with all of them, so their number is limited. */
  readonly others: readonly string[];
  /** Filters of the tab, as in a URL. */
  readonly kept: readonly string[];
}

/** Returns the active filters of a URL. Reads the names of objects that the form does not have. */
export async function activeFilters(
  call: Call,
  { url, resource, filters, except = [] }: {
    url: URL;
    resource: Resource;
    /** The filters of the form. */
    filters: readonly Filter[];
    /** Names of the filters of the tab. */
    except?: readonly string[];
  },
): Promise<ActiveFilters> {
  const all = new Map<string, readonly [name: string, value: string]>();
  const kept: string[] = [];
  const ids = new Set(url.searchParams.getAll("id"));
  for (const one of url.searchParams) {
    const encoded = String(new URLSearchParams([one]));
    if (except.includes(one[0])) kept.push(encoded);
    else if (one[0] === "id" && ids.size > 1) continue;
    else if (!UNFILTERED.includes(one[0])) all.set(encoded, one);
  }
  const [words = []] = await filtersInWords(call, [{
    resource,
    filters: [...all.values()].slice(0, MAX_FILTER_CHIPS),
    parameters: [...url.searchParams],
    known: new Map(filters.map((filter) => [filter.name, filter])),
  }]);
  // The ids of several objects, such as those of an import, mean nothing to a user.
  const these = ids.size < 2 ? [] : [{
    label: `These ${numberText(ids.size)} ${resource.labelPlural}`,
    encoded: String(new URLSearchParams([...ids].map((id) => ["id", id]))),
  }];
  return { shown: [...these, ...words], others: [...all.keys()].slice(MAX_FILTER_CHIPS), kept };
}

/** Renders the active filters with links that remove them. */
export function FilterChips({ url, active }: { url: URL; active: ActiveFilters }): Html | null {
  const { shown, others, kept } = active;
  if (shown.length === 0) return null;
  const names = shown.map(({ encoded }) => encoded);
  const without = (left: readonly string[]): string => withFilters(url, [...kept, ...left]);
  return (
    <p class="chips">
      {shown.map(({ label, encoded }) => (
        <Chip
          label={label}
          href={without([...names.filter((one) => one !== encoded), ...others])}
        />
      ))}
      {others.length === 0 ? null : <Chip label={`${others.length} more`} href={without(names)} />}
      {shown.length === 1 ? null : <a href={without([])}>Clear all</a>}
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
