/** Compares the filters of a list with predicates in memory over the same rows. */

import assert from "node:assert/strict";
import { type TestApp, testApp } from "./app.ts";

/** A row as the list returns it. */
// deno-lint-ignore no-explicit-any -- its fields are what the predicates say they are
type Row = any;

/** A query and a predicate for the expected rows: some, but not all of them, so that the test can fail. */
export type Filter = readonly [query: string, predicate: (row: Row) => boolean];

/** Registers a test for a table of filters on the collection at `path`; `before` may add rows. */
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
