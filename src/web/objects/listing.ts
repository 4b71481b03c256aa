/** Reads lists: a page of one by the address of its page, or rows that another page shows. */

import { AppError, type FieldErrors } from "../../base/errors.ts";
import { listObjects, parseListQuery, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { fieldErrorsOf } from "../messages.ts";
import type { ApiObject } from "./view.ts";

/** A page of objects, or what was wrong with the address. */
export interface Listing {
  /** The page's address without the parameters that say nothing. */
  readonly url: URL;
  readonly rows: readonly ApiObject[];
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
  readonly errors: FieldErrors;
}

/** Parameters of pages that are none of lists. */
const OWN_PARAMETERS = ["columns"];

/** Reads the page. A form sends its empty fields too: they are no filters. Errors: forbidden. */
export async function readListing(
  call: Call,
  resource: Resource,
  { fields }: { fields?: readonly string[] } = {},
): Promise<Listing> {
  const url = cleanUrl(call.url);
  const params = new URLSearchParams(url.search);
  for (const name of OWN_PARAMETERS) params.delete(name);
  try {
    const asked = fields === undefined ? {} : { fields: [...fields, "display"] };
    return { url, ...await readPage(call, resource, { params, ...asked }), errors: {} };
  } catch (error) {
    // An address may ask for what there is not; a regular expression may turn out too costly while it is tried.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { url, rows: [], count: 0, limit: 1, offset: 0, errors: fieldErrorsOf(error) };
  }
}

/** Parameters of a list by name; a list of values stands for a parameter that is repeated. */
export type Params = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/** Rows of a list as a part of another page: those that `params` ask for, and how many there are. Errors: forbidden. */
export async function readRows<Row = ApiObject>(
  call: Call,
  resource: Resource,
  { params, fields }: { params: Params; fields?: readonly string[] },
): Promise<{ rows: readonly Row[]; count: number }> {
  const search = new URLSearchParams();
  for (const [name, given] of Object.entries(params)) {
    for (const value of [given].flat()) search.append(name, String(value));
  }
  return await readPage<Row>(call, resource, { params: search, ...(fields === undefined ? {} : { fields }) });
}

async function readPage<Row>(
  call: Call,
  resource: Resource,
  { params, fields }: { params: URLSearchParams; fields?: readonly string[] },
): Promise<{ rows: readonly Row[]; count: number; limit: number; offset: number }> {
  const { ctx } = call;
  const query = parseListQuery(resource, params, ctx);
  const { limit, offset } = query;
  const selection = fields === undefined ? query.selection : { ...query.selection, fields };
  const { results, count } = await listObjects({ ctx, resource, query: { ...query, selection } });
  return { rows: results as unknown as Row[], count: count ?? results.length, limit, offset };
}

/** The address without empty parameters. */
export function cleanUrl(given: URL): URL {
  const url = new URL(given);
  const all = [...url.searchParams];
  const filled = all.filter(([, value]) => value !== "");
  // At once: each change of the parameters writes the whole address anew.
  if (filled.length < all.length) url.search = String(new URLSearchParams(filled));
  return url;
}
