/** Addresses of the pages before and after one that is counted. */

import type { Call } from "./operation.ts";

/** Where a page stands. */
export interface Place {
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
}

/** The address of this very request with some parameters changed; every other one is kept. */
export function linkWith(
  { ctx, query, request }: Pick<Call, "ctx" | "query" | "request">,
  changes: Readonly<Record<string, number>>,
): string {
  const params = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) params.set(name, String(value));
  return `${ctx.baseUrl}${new URL(request.url).pathname}?${params}`;
}

/** `next` and `previous` of a page; null where there is none. */
export function neighbours(
  call: Pick<Call, "ctx" | "query" | "request">,
  { count, limit, offset }: Place,
): { next: string | null; previous: string | null } {
  return {
    next: offset + limit < count ? linkWith(call, { limit, offset: offset + limit }) : null,
    previous: offset > 0 ? linkWith(call, { limit, offset: Math.max(0, offset - limit) }) : null,
  };
}
