/** Reads a page of a list by the address of its page. */

import { AppError, type FieldErrors } from "../../base/errors.ts";
import { listObjects, type ListQuery, parseListQuery, type Resource } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { fieldErrorsOf } from "../messages.ts";
import type { Shown } from "./view.ts";

/** A page of objects, or what was wrong with the address. */
export interface Listing {
  /** The page's address without the parameters that say nothing. */
  readonly url: URL;
  readonly rows: readonly Shown[];
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
  const read = readQuery(call, resource, params);
  const errors = "errors" in read ? read.errors : {};
  const query = "errors" in read ? undefined : read.query;
  if (query === undefined) return { url, rows: [], count: 0, limit: 1, offset: 0, errors };
  const selection = fields === undefined
    ? query.selection
    : { ...query.selection, fields: [...fields, "display"] };
  try {
    const { results, count } = await listObjects({ ctx: call.ctx, resource, query: { ...query, selection } });
    const { limit, offset } = query;
    return {
      url,
      rows: results as unknown as Shown[],
      count: count ?? results.length,
      limit,
      offset,
      errors,
    };
  } catch (error) {
    // A regular expression may turn out too costly while it is tried.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { url, rows: [], count: 0, limit: 1, offset: 0, errors: fieldErrorsOf(error) };
  }
}

function readQuery(
  { ctx }: Call,
  resource: Resource,
  params: URLSearchParams,
): { query: ListQuery } | { errors: FieldErrors } {
  try {
    return { query: parseListQuery(resource, params, ctx) };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return { errors: fieldErrorsOf(error) };
    throw error;
  }
}

/** The address without empty parameters. */
export function cleanUrl(given: URL): URL {
  const url = new URL(given);
  for (const [name, value] of [...url.searchParams]) {
    if (value === "") url.searchParams.delete(name, value);
  }
  return url;
}
