/** Searches objects of all kinds, and the names of pages. */

import { AppError } from "../../base/errors.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { resources } from "../../domain/registry.ts";
import { type SearchGroup, searchInventory } from "../../domain/system/search/mod.ts";
import type { Call } from "../call.ts";
import { Expiry } from "../certificates/mod.ts";
import {
  Badge,
  EmptyState,
  type Html,
  Icon,
  type IconName,
  truncate,
  withoutPrivateKey,
} from "../components/mod.ts";
import { capitalized, fieldErrorsOf } from "../messages.ts";
import { type ApiObject, may, views } from "../objects/mod.ts";
import { listPath, objectPath } from "../paths.ts";
import { fragment } from "../responses.ts";
import { entriesFor, page } from "../shell/mod.ts";

/** Objects of each kind on the page, and in the dialog. */
const [ON_PAGE, IN_DIALOG] = [20, 5] as const;
const FIELDS = ["id", "display", "common_name", "status", "valid_to", "days_remaining", "expiry_status"];

/** Resources that have pages, certificates first. */
const SEARCHED = resources.filter((resource) =>
  resource.objectType === certificates.objectType ||
  views.some((view) => view.resource.objectType === resource.objectType)
);

/** `GET /search/?q=…`: shows objects that match all words. */
export async function searchPage(call: Call): Promise<Response> {
  const text = withoutPrivateKey((call.query.get("q") ?? "").trim());
  const { groups, problem } = await find(call, text, ON_PAGE);
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
      {text === "" || problem !== undefined
        ? null
        : groups.length === 0
        ? <EmptyState text={`Nothing matches "${truncate(text)}". All words must match the same object.`} />
        : groups.map((group) => <Group group={group} text={text} />)}
    </>,
  );
}

/** `GET /search/results/?q=…`: the list in the dialog; pages first, then objects. */
export async function searchResults(call: Call): Promise<Response> {
  const text = withoutPrivateKey((call.query.get("q") ?? "").trim());
  const { groups, problem } = await find(call, text, IN_DIALOG);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  // Without a text the actions that create objects would hide the pages.
  const entries = text === "" ? entriesFor(call) : [...entriesFor(call), ...creationsFor(call)];
  const pages = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return fragment(
    String(
      <>
        {problem === undefined ? null : <p class="flash error">{problem}</p>}
        {pages.length === 0 ? null : (
          <section>
            <h2>Pages and actions</h2>
            <ul>
              {pages.slice(0, text === "" ? pages.length : IN_DIALOG).map(({ label, path, icon }) => (
                <li>
                  <a href={path}>
                    <Icon name={icon} /> {label}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {groups.map((group) => <Group group={group} text={text} />)}
        {pages.length === 0 && groups.length === 0 && problem === undefined
          ? <p class="faint">Nothing matches.</p>
          : null}
      </>,
    ),
  );
}

/** Returns the actions that create objects of the lists in the menu, as far as the user may. */
function creationsFor(call: Call): { label: string; path: string; icon: IconName }[] {
  const lists = new Set(entriesFor(call).map(({ path }) => path));
  return resources.filter((resource) => lists.has(listPath(resource)) && may(call, resource, "add")).map((
    resource,
  ) => ({ label: `New ${resource.label}`, path: `${listPath(resource)}new/`, icon: "plus" }));
}

async function find(
  call: Call,
  text: string,
  limit: number,
): Promise<{ groups: readonly SearchGroup[]; problem?: string }> {
  try {
    const { ctx } = call;
    return { groups: await searchInventory({ ctx, text, resources: SEARCHED, limit, fields: FIELDS }) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { groups: [], problem: Object.values(fieldErrorsOf(error)).flat().join(" ") };
  }
}

function Group({ group: { resource, rows, more }, text }: { group: SearchGroup; text: string }): Html {
  const isCertificates = resource.objectType === certificates.objectType;
  return (
    <section class="found">
      <h2>{capitalized(resource.labelPlural)}</h2>
      <ul>
        {(rows as readonly ApiObject[]).map((row) => (
          <li>
            <a href={objectPath(resource, row.id)}>
              <bdi>{truncate(String(isCertificates ? row.common_name : row.display), 100)}</bdi>
            </a>
            {isCertificates
              ? (
                <>
                  {" "}
                  <Badge value={String(row.status)} /> <Expiry row={row} />
                </>
              )
              : null}
          </li>
        ))}
      </ul>
      {more
        ? (
          <p class="more">
            <a href={moreOf(resource, text)}>More {resource.labelPlural}</a>
          </p>
        )
        : null}
    </section>
  );
}

/** The list with the same search; one of several words is narrowed on the page of all results. */
function moreOf(resource: SearchGroup["resource"], text: string): string {
  const query = new URLSearchParams({ q: text });
  if (/\s/.test(text)) return `/search/?${query}`;
  if (resource.objectType === certificates.objectType) query.set("show", "all");
  return `${listPath(resource)}?${query}`;
}
