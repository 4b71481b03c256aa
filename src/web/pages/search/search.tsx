/** Searches objects of all types, and the names of pages. */

import { AppError } from "../../../base/errors.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import { certificates, MIN_DIGITS, MIN_END_DIGITS } from "../../../domain/certificates/mod.ts";
import { checks } from "../../../domain/compliance/mod.ts";
import { resources } from "../../../domain/registry.ts";
import { LISTED_TYPES } from "../../../domain/saved_views/mod.ts";
import { type SearchGroup, searchInventory } from "../../../domain/system/search/search_inventory.ts";
import type { Resource } from "../../../resource/mod.ts";
import type { Call, Route } from "../../call.ts";
import { EmptyState, type Html, Icon, truncate, withoutPrivateKey } from "../../kit/components/mod.ts";
import { capitalized, fieldErrorsOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { fragment } from "../../responses.ts";
import { entriesFor, page } from "../../shell/mod.ts";
import { fieldsOf, Found } from "./found.tsx";
import { nounOf, pluralOf } from "../../type_label.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { may } from "../../kit/mod.ts";

/** Number of objects of each type on the page, in the dialog, and on the page of one type. */
const [ON_PAGE, IN_DIALOG, OF_ONE_KIND] = [5, 3, 100] as const;

/** Resources with a list whose objects users create; logs have separate searches. */
const SEARCHED = resources.filter(({ objectType, methods }) =>
  LISTED_TYPES.some((type) => type === objectType) && methods.collection.includes("POST")
);

/** Returns what can be done about a search that found nothing. */
function hintOf(text: string): string {
  const { length } = readHexDigits(text) ?? "";
  return length > 0 && length < MIN_DIGITS
    ? `Part of a serial number or fingerprint has at least ${MIN_DIGITS} digits, or ${MIN_END_DIGITS} at either end.`
    : "All words must match the same object.";
}

/** Shows objects that match all words: `GET /search/?q=…`; `&type=dcim.device` shows more of one type. */
async function searchPage(call: Call): Promise<Response> {
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
      {problem !== undefined ? null : (
        <div class="entries">
          {text === ""
            ? <Start call={call} />
            : only === undefined
            ? <Entries title="Pages and actions" entries={matchingEntries(call, text)} />
            : null}
        </div>
      )}
      {text === "" || problem !== undefined
        ? null
        : groups.length === 0
        ? <EmptyState text={`Nothing matches "${truncate(text)}". ${hintOf(text)}`} />
        : (
          <>
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
async function searchResults(call: Call): Promise<Response> {
  const text = withoutPrivateKey((call.query.get("q") ?? "").trim());
  const { groups, problem } = await find(call, text, { limit: IN_DIALOG });
  const pages = matchingEntries(call, text);
  const show = (group: SearchGroup): Html => <Group call={call} group={group} text={text} icons />;
  return fragment(
    String(
      <>
        {problem === undefined ? null : <p class="flash error">{problem}</p>}
        {text === "" ? <Start call={call} /> : null}
        {groups.filter(({ exact }) => exact).map(show)}
        {text === "" ? null : <Entries title="Pages and actions" entries={pages} />}
        {groups.filter(({ exact }) => !exact).map(show)}
        {pages.length === 0 && groups.length === 0 && problem === undefined
          ? <p class="faint">Nothing matches.</p>
          : null}
      </>,
    ),
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

/** Parameters of lists that leave out objects by default. */
const WHOLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [certificates.objectType]: { show: "all" },
  [checks.objectType]: { scope: "all" },
};

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
  // As in the menu.
  const title = entry?.label ?? capitalized(pluralOf(resource));
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
            {/* A list searches its own fields for the whole text. */}
            <a
              href={/\s/.test(text)
                ? `/search/?${new URLSearchParams({ q: text, type: resource.objectType })}`
                : `${listPath(resource)}?${new URLSearchParams({ q: text, ...WHOLE[resource.objectType] })}`}
            >
              All matching {pluralOf(resource)}
            </a>
          </p>
        )
        : null}
      {more && only !== undefined
        ? <p class="faint">Only the first {rows.length} are shown. Add words to the search.</p>
        : null}
    </section>
  );
}

export const searchRoutes: readonly Route[] = [
  { method: "GET", path: "/search/", handle: searchPage },
  { method: "GET", path: "/search/results/", handle: searchResults },
];

/** Number of pages and actions that a text finds. */
const PAGES = 5;

/** Returns the first pages and actions whose names have all words of a text. */
function matchingEntries(call: Call, text: string): Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return [...entriesFor(call), ...creationsFor(call)]
    .filter(({ label, place = "" }) =>
      words.every((word) => `${place} ${label}`.toLowerCase().includes(word))
    )
    .slice(0, PAGES);
}

/** Renders what is offered before anything is typed: some actions (all create actions would hide the pages), and the pages. */
function Start({ call }: { call: Call }): Html {
  const entries = entriesFor(call);
  const usual = creationsFor(call).filter(({ path }) => path === `${listPath(endpoints)}new/`);
  return (
    <>
      <Entries title="Actions" entries={[...entries.filter(({ action }) => action), ...usual]} />
      <Entries title="Pages" entries={entries.filter(({ action }) => !action)} />
    </>
  );
}

/** Renders links to pages and actions under a heading; nothing without any. */
function Entries({ title, entries }: { title: string; entries: readonly Offer[] }): Html | null {
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {entries.map(({ label, path, icon }) => (
          <li>
            <a href={path}>
              <Icon name={icon} /> {label}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A page or an action. */
type Offer = ReturnType<typeof entriesFor>[number];

/** Returns the actions that create objects of the lists in the menu, if the user may do this. */
function creationsFor(call: Call): Offer[] {
  const lists = new Set(entriesFor(call).map(({ path }) => path));
  return resources.filter((resource) => lists.has(listPath(resource)) && may(call, resource, "add")).map((
    resource,
  ) => ({
    // The form is not the usual way to add certificates.
    label: resource === certificates ? "New certificate: enter manually" : `New ${nounOf(resource)}`,
    path: `${listPath(resource)}new/`,
    icon: "plus",
  }));
}
