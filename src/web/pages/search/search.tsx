/** Searches objects of all types, and the names of pages. */

import { AppError } from "../../../base/errors.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { checks } from "../../../domain/compliance/mod.ts";
import { resources } from "../../../domain/registry.ts";
import { LISTED_TYPES } from "../../../domain/saved_views/mod.ts";
import { type SearchGroup, searchInventory } from "../../../domain/system/search/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  EmptyState,
  type Html,
  Icon,
  isolate,
  Joined,
  truncate,
  withoutPrivateKey,
} from "../../kit/components/mod.ts";
import { capitalized, fieldErrorsOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { fragment } from "../../responses.ts";
import { entriesFor, page } from "../../shell/mod.ts";
import { Entries, matchingEntries, Recent, usualActions } from "./entries.tsx";
import { fieldsOf, Found } from "./found.tsx";
import { pluralOf } from "../../type_label.ts";

/** Number of objects of each type on the page, in the dialog, and on the page of one type. */
const [ON_PAGE, IN_DIALOG, OF_ONE_KIND] = [5, 3, 100] as const;

/** Resources with a list whose objects users create; logs have separate searches. */
const SEARCHED = resources.filter(({ objectType, methods }) =>
  LISTED_TYPES.some((type) => type === objectType) && methods.collection.includes("POST")
);

/** Shows objects that match all words: `GET /search/?q=…`; `&type=dcim.device` shows more of one type. */
export async function searchPage(call: Call): Promise<Response> {
  const text = withoutPrivateKey((call.query.get("q") ?? "").trim());
  const only = SEARCHED.find(({ objectType }) => objectType === call.query.get("type"));
  const { groups, problem } = await find(call, text, {
    limit: only === undefined ? ON_PAGE : OF_ONE_KIND,
    only,
  });
  return page(
    call,
    { title: "Search", ...(problem === undefined ? {} : { status: 400 }) },
    <>
      <form method="get" action="/search/" class="toolbar">
        <div class="grow">
          <input
            type="search"
            name="q"
            value={text}
            aria-label="Search everything"
            placeholder="Name, serial number, fingerprint, tenant, device, tag …"
            autofocus={text === ""}
          />
        </div>
        <button type="submit">
          <Icon name="search" />Search
        </button>
      </form>
      {problem === undefined ? null : <p class="flash error" role="alert">{problem}</p>}
      {only === undefined ? null : (
        <p>
          <a href={`/search/?${new URLSearchParams({ q: text })}`}>Results of all types</a>
        </p>
      )}
      {problem !== undefined ? null : text === ""
        ? (
          <div class="entries">
            <Recent />
            <Entries title="Actions" entries={usualActions(call)} />
            <Entries title="Pages" entries={entriesFor(call).filter(({ action }) => !action)} />
          </div>
        )
        : (
          <div class="entries">
            <Entries
              title="Pages and actions"
              entries={only === undefined ? matchingEntries(call, text) : []}
            />
          </div>
        )}
      {text === "" || problem !== undefined
        ? null
        : groups.length === 0
        ? (
          <EmptyState text={`Nothing matches "${truncate(text)}". All words must match the same object.`}>
            <SingleWords text={text} />
          </EmptyState>
        )
        : (
          <>
            {groups.length > 2 ? <Jumps call={call} groups={groups} /> : null}
            {groups.map((group) => <Group call={call} group={group} text={text} only={only} />)}
          </>
        )}
    </>,
  );
}

/**
 * Renders the list in the dialog, objects with this name first, then pages and actions, then other objects: `GET
 * /search/results/?q=…`.
 */
export async function searchResults(call: Call): Promise<Response> {
  const text = withoutPrivateKey((call.query.get("q") ?? "").trim());
  const { groups, problem } = await find(call, text, { limit: IN_DIALOG });
  const entries = entriesFor(call);
  const pages = matchingEntries(call, text);
  const show = (group: SearchGroup): Html => <Group call={call} group={group} text={text} icons />;
  return fragment(
    String(
      <>
        {problem === undefined ? null : <p class="flash error">{problem}</p>}
        {text === ""
          ? (
            <>
              <Recent />
              <Entries title="Actions" entries={usualActions(call)} />
              <Entries title="Pages" entries={entries.filter(({ action }) => !action)} />
            </>
          )
          : null}
        {groups.filter(({ exact }) => exact).map(show)}
        {text === "" ? null : <Entries title="Pages and actions" entries={pages} />}
        {groups.filter(({ exact }) => !exact).map(show)}
        {pages.length === 0 && groups.length === 0 && problem === undefined
          ? (
            <p class="faint">
              Nothing matches. <SingleWords text={text} />
            </p>
          )
          : null}
      </>,
    ),
  );
}

/** Number of words that are offered alone. */
const OFFERED_WORDS = 4;

/** Renders the search for each word alone, if there are several. */
function SingleWords({ text }: { text: string }): Html | null {
  const words = [...new Set(text.split(/\s+/))];
  if (words.length === 1) return null;
  return (
    <span>
      Search for one word:{" "}
      <Joined
        items={words.slice(0, OFFERED_WORDS).map((word) => (
          <a href={`/search/?${new URLSearchParams({ q: word })}`}>{isolate(truncate(word))}</a>
        ))}
      />
    </span>
  );
}

async function find(
  call: Call,
  text: string,
  { limit, only }: { limit: number; only?: Resource | undefined },
): Promise<{ groups: readonly SearchGroup[]; problem?: string }> {
  try {
    const { ctx } = call;
    const searched = only === undefined ? SEARCHED : [only];
    return { groups: await searchInventory({ ctx, text, resources: searched, limit, fields: fieldsOf }) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { groups: [], problem: Object.values(fieldErrorsOf(error)).flat().join(" ") };
  }
}

/** Returns the title of a group, as in the menu. */
function titleOf(call: Call, resource: Resource): string {
  return entriesFor(call).find(({ path }) => path === listPath(resource))?.label ??
    capitalized(pluralOf(resource));
}

/** Renders links to the groups with their counts. */
function Jumps({ call, groups }: { call: Call; groups: readonly SearchGroup[] }): Html {
  return (
    <ul class="related" aria-label="Results by type">
      {groups.map(({ resource, rows, more }) => (
        <li>
          <a href={`#${resource.objectType}`}>{titleOf(call, resource)}</a>
          <span class="count">{` ${rows.length}${more ? "+" : ""}`}</span>
        </li>
      ))}
    </ul>
  );
}

function Group(
  { call, group: { resource, rows, more }, text, only, icons }: {
    call: Call;
    group: SearchGroup;
    text: string;
    /** The only resource that was searched. */
    only?: Resource | undefined;
    icons?: boolean;
  },
): Html {
  const entry = entriesFor(call).find(({ path }) => path === listPath(resource));
  const count = more ? `${rows.length}+` : String(rows.length);
  const title = titleOf(call, resource);
  return (
    <section class={icons ? "found" : "found card"} id={icons ? undefined : resource.objectType}>
      <h2>
        {title} <span class="count">{count}</span>
      </h2>
      <Found
        resource={resource}
        rows={rows}
        text={text}
        {...(icons ? { icon: entry?.icon ?? "search" } : {})}
      />
      {more && only === undefined
        ? (
          <p class="more">
            <a href={moreOf(resource, text)}>All matching {pluralOf(resource)}</a>
          </p>
        )
        : null}
      {more && only !== undefined
        ? <p class="faint">Only the first {rows.length} are shown. Add words to the search.</p>
        : null}
    </section>
  );
}

/**
 * Returns the path of the list with the same search, or of the search for one type: a list searches its own fields for
 * the whole text.
 */
function moreOf(resource: Resource, text: string): string {
  if (/\s/.test(text)) {
    return `/search/?${new URLSearchParams({ q: text, type: resource.objectType })}`;
  }
  const query = new URLSearchParams({ q: text });
  if (resource.objectType === certificates.objectType) query.set("show", "all");
  if (resource.objectType === checks.objectType) query.set("scope", "all");
  return `${listPath(resource)}?${query}`;
}
