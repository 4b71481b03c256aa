/** Reads lists for pages. */

import { AppError, type FieldErrors } from "../../../base/errors.ts";
import {
  countObjects,
  type Identity,
  type Params,
  parseListQuery,
  readPage,
  readRows,
  type Resource,
  searchOf,
} from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { fieldErrorsOf } from "../../messages.ts";

export { type Params, readRows, searchOf };

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
export const PAGE_PARAMETERS = ["columns", "show", "scope", "group_by"];

/** Reads the page of a URL; `withDefaults` adds default parameters. Errors: forbidden. */
export async function readListing<Of extends Identity, const Name extends string & keyof Of>(
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
    return { url, ...await readPage(call.ctx, resource, { params, fields: asked }), errors: {} };
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

/** Rows with fields of which some are chosen at run time. */
export type Chosen<Of, Name extends string & keyof Of> = Pick<Of, Name> & Partial<Of>;

/** Reads rows as {@link readRows}, with further fields (`columns`) that are chosen at run time. Errors: forbidden. */
export async function readColumns<Of extends Identity, const Name extends string & keyof Of>(
  call: Call,
  resource: Resource<Of>,
  { params, fields, columns }: { params: Params; fields: readonly Name[]; columns: readonly string[] },
): Promise<{ rows: readonly Chosen<Of, Name>[]; count: number }> {
  return await readPage(call.ctx, resource, {
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

/** Removes empty parameters from a URL. */
export function cleanUrl(given: URL): URL {
  const url = new URL(given);
  const all = [...url.searchParams];
  const filled = all.filter(([, value]) => value !== "");
  // All at once, because each change of the parameters serializes the whole URL.
  if (filled.length < all.length) url.search = String(new URLSearchParams(filled));
  return url;
}
