/** Filters of a list, compared with plain ones in memory over the same rows. */

import assert from "node:assert/strict";
import { type TestApp, testApp } from "./app.ts";

/** A row as the list gives it. */
// deno-lint-ignore no-explicit-any -- its fields are what the predicates say they are
type Row = any;

/** A query, and which rows it should select: some of them, not all, so that the test can fail. */
export type Filter = readonly [query: string, predicate: (row: Row) => boolean];

/** One test for a table of filters on the collection at `path`; `before` may add rows. */
export function filterTest(
  title: string,
  { path, filters, before }: {
    path: string;
    filters: readonly Filter[];
    before?: (app: TestApp) => Promise<void>;
  },
): void {
  Deno.test(title, async (t) => {
    await using app = await testApp();
    await before?.(app);
    const client = await app.as("superuser");
    const rows: Row[] = (await (await client(`${path}?limit=0`)).json()).results;
    for (const [query, predicate] of filters) {
      await t.step(query, async () => {
        const expected = rows.filter(predicate).map((row) => row.id);
        assert(
          expected.length > 0 && expected.length < rows.length,
          `${expected.length} of ${rows.length} rows`,
        );
        const response = await client(`${path}?limit=0&fields=id&${query}`);
        const body = await response.json();
        assert.equal(response.status, 200, JSON.stringify(body));
        assert.deepEqual(body.results.map((row: Row) => row.id).sort(), expected.sort());
        assert.equal(body.count, expected.length);
      });
    }
  });
}
