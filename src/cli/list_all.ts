/** Reads a whole list, page by page. */

import type { Context } from "../auth/mod.ts";
import { type AnyObject, listObjects, type Page, parseListQuery, type Resource } from "../resource/mod.ts";

/** Yields all objects of a resource, ordered by id; `filters` are those of the REST list. */
export async function listAll<Of extends AnyObject>(
  ctx: Context,
  { resource, filters = {} }: { resource: Resource<Of>; filters?: Readonly<Record<string, string>> },
): Promise<Of[]> {
  const all: Of[] = [];
  for (let start: number | null = 0; start !== null;) {
    const params = new URLSearchParams({ ...filters, start: String(start), limit: "0" });
    const page: Page<Of> = await listObjects({
      ctx,
      resource,
      query: parseListQuery(ctx, { resource, params }),
    });
    all.push(...page.results);
    start = page.nextStart;
  }
  return all;
}
