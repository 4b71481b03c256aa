/** Reads lists for pages. */

import { AppError, type FieldErrors } from "../../../base/errors.ts";
import {
  type AnyObject,
  countObjects,
  listObjects,
  parseListQuery,
  type Resource,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { seeOther } from "../../responses.ts";
import { filterTarget } from "../filters/filter_target.ts";
import { parseSuggestion } from "../reference/suggestion_text.ts";

/** A page of objects, or the errors of the URL. */
export interface Listing<Row = unknown> {
  /** URL of the page without empty parameters. */
  readonly url: URL;
  readonly rows: readonly Row[];
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
  readonly errors: FieldErrors;
}

/** Parameters of pages that the API does not have. */
export const PAGE_PARAMETERS = ["columns", "show", "scope"];
/** The parameter with the number of a page, which forms send; URLs use `offset`. */
const PAGE = "page";

/** Reads the page of a URL; `withDefaults` adds default parameters. Errors: forbidden. */
export async function readListing<Of extends AnyObject, const Name extends string & keyof Of>(
  call: Call,
  resource: Resource<Of>,
  { fields, columns = [], withDefaults }: {
    fields: readonly Name[];
    columns?: readonly string[];
    withDefaults?: (params: URLSearchParams) => void;
  },
): Promise<Listing<Chosen<Of, Name>>> {
  const url = cleanUrl(call.url);
  const params = listedParams(url, withDefaults);
  if (!params.has("limit")) params.set("limit", String(preferredLimit(call, resource)));
  try {
    const asked = [...new Set([...fields, ...columns, "display"])];
    return { url, ...await readPage(call, resource, { params, fields: asked }), errors: {} };
  } catch (error) {
    // Some errors appear only while the list is read: missing references, expensive regular expressions.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { url, rows: [], count: 0, limit: 1, offset: 0, errors: fieldErrorsOf(error) };
  }
}

/** Returns the parameters of the list that a URL shows. */
export function listedParams(url: URL, withDefaults?: (params: URLSearchParams) => void): URLSearchParams {
  const params = new URLSearchParams(url.search);
  withDefaults?.(params);
  for (const name of PAGE_PARAMETERS) params.delete(name);
  return params;
}

/** Returns the page size that the user prefers, else the default. */
function preferredLimit({ ctx, session }: Call, { objectType }: Resource): number {
  const { defaultPageSize, maxPageSize } = ctx.settings;
  return Math.min(session.preferences.lists[objectType]?.limit ?? defaultPageSize, maxPageSize);
}

/** Parameters of a list by name; a list of values is a repeated parameter. */
export type Params = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/** Reads rows for a section of another page, and their number. Errors: forbidden. */
export async function readRows<
  Of extends AnyObject,
  const Name extends string & keyof Of = string & keyof Of,
>(
  call: Call,
  resource: Resource<Of>,
  { params, fields }: { params: Params; fields?: readonly Name[] },
): Promise<{ rows: readonly Pick<Of, Name>[]; count: number }> {
  return await readPage(call, resource, {
    params: searchOf(params),
    ...(fields === undefined ? {} : { fields }),
  });
}

/** Rows with fields of which some are chosen at run time. */
export type Chosen<Of extends AnyObject, Name extends string & keyof Of> = Pick<Of, Name> & Partial<Of>;

/** Reads rows as {@link readRows}, with further fields (`columns`) that are chosen at run time. Errors: forbidden. */
export async function readColumns<Of extends AnyObject, const Name extends string & keyof Of>(
  call: Call,
  resource: Resource<Of>,
  { params, fields, columns }: { params: Params; fields: readonly Name[]; columns: readonly string[] },
): Promise<{ rows: readonly Chosen<Of, Name>[]; count: number }> {
  return await readPage(call, resource, {
    params: searchOf(params),
    fields: [...new Set([...fields, ...columns])],
  });
}

/** Counts the objects of a list. One statement. Errors: forbidden. */
export async function countRows(
  { ctx }: Call,
  resource: Resource,
  params: Params | URLSearchParams,
): Promise<number> {
  const search = params instanceof URLSearchParams ? params : searchOf(params);
  const { filter } = parseListQuery(ctx, { resource, params: search });
  return await countObjects({ ctx, resource, filter });
}

/** Returns parameters as those of a URL. */
export function searchOf(params: Params): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, given] of Object.entries(params)) {
    for (const value of [given].flat()) search.append(name, String(value));
  }
  return search;
}

async function readPage<Of extends AnyObject>(
  call: Call,
  resource: Resource<Of>,
  { params, fields }: { params: URLSearchParams; fields?: readonly string[] },
): Promise<{ rows: readonly Of[]; count: number; limit: number; offset: number }> {
  const { ctx } = call;
  const query = parseListQuery(ctx, { resource, params });
  const { limit, offset } = query;
  const selection = fields === undefined ? query.selection : { ...query.selection, fields };
  const { results, count } = await listObjects({ ctx, resource, query: { ...query, selection } });
  return { rows: results, count: count ?? results.length, limit, offset };
}

/**
 * Redirects a URL with parameters that only forms send to a canonical one: without empty parameters and the number of a
 * page, and with the id of a suggestion or a name. Undefined if it has none of these.
 */
export function redirectToClean(call: Call, resource: Resource): Response | undefined {
  const clean = cleanUrl(call.url);
  const given = [...clean.searchParams];
  const params = given.map(([name, value]) => byIdOrName(resource, name, value));
  // All at once, and only if something changes, because a URL can be written in several ways.
  if (params.some(([name, value], index) => name !== given[index]?.[0] || value !== given[index]?.[1])) {
    clean.search = String(new URLSearchParams(params));
  }
  const number = clean.searchParams.get(PAGE);
  if (number !== null) {
    const limit = Number(clean.searchParams.get("limit") ?? preferredLimit(call, resource));
    const offset = /^[1-9]\d{0,8}$/.test(number) ? (Number(number) - 1) * limit : 0;
    clean.searchParams.delete(PAGE);
    clean.searchParams.delete("offset");
    if (Number.isSafeInteger(offset) && offset > 0) clean.searchParams.set("offset", String(offset));
  }
  return clean.search === call.url.search ? undefined : seeOther(call, `${clean.pathname}${clean.search}`);
}

/**
 * Returns the filter for the text in the field of a filter by id: the id of a suggestion (`tenant_id=Acme (#3)`), or the
 * filter by name for other text (`device_id=web-01` is `device=web-01`).
 */
function byIdOrName(resource: Resource, name: string, value: string): [name: string, value: string] {
  if (filterTarget(resource, name) === undefined) return [name, value];
  const id = parseSuggestion(value)?.id;
  if (id !== undefined) return [name, id];
  const byName = name.replace(/_id$/, "");
  return /^(\d+|null)$/.test(value) || byName === name || !(byName in resource.map.fields)
    ? [name, value]
    : [byName, value];
}

/** Removes empty parameters from a URL. */
export function cleanUrl(given: URL): URL {
  const url = new URL(given);
  const all = [...url.searchParams];
  const filled = all.filter(([, value]) => value !== "");
  // All at once, because each change of the parameters serializes the whole URL.
  if (filled.length < all.length) url.search = String(new URLSearchParams(filled));
  return url;
}
