/** The cost of checking the queries of all saved views in a request. */

import assert from "node:assert/strict";
import { MAX_REGEX_PATTERNS } from "../../../src/filters/limits.ts";
import { granted } from "../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { countPauses } from "../../support/pauses.ts";

const PATH = "/api/plugins/certmgr/saved-views/";

function viewer(app: TestApp): Promise<Client> {
  return app.as(granted([{ types: ["certmgr.certificate"], actions: ["view"] }]));
}

/** Returns bodies of views, each with this query. */
function views(count: number, query: string): Record<string, unknown>[] {
  return Array.from(
    { length: count },
    (_, index) => ({ name: `${query} ${index}`, object_type: "certmgr.certificate", query }),
  );
}

Deno.test("the regular expressions of all views in a request count together", async () => {
  await using app = await testApp();
  const client = await viewer(app);
  const refused = await client(PATH, {
    method: "POST",
    body: views(MAX_REGEX_PATTERNS + 1, "common_name__regex=a"),
  });
  assert.equal(refused.status, 400);
  const errors = await refused.json();
  assert.deepEqual(errors.slice(0, -1), Array(MAX_REGEX_PATTERNS).fill({}));
  assert.match(errors.at(-1).query[0], /at most 5 regular expressions in one request/);
  await callJson(client, PATH, "POST", views(MAX_REGEX_PATTERNS, "common_name__regex=a"));
  // Unchanged views are not checked again.
  const more = await callJson(client, PATH, "POST", views(1, "common_name__regex=b"));
  const { results } = await callJson(client, `${PATH}?name__isw=common_name`);
  assert.equal(results.length, MAX_REGEX_PATTERNS + more.length);
  const renamed = results.map(({ id }: { id: number }) => ({ id, name: `View ${id}` }));
  await callJson(client, PATH, "PATCH", renamed);
});

Deno.test("other requests run while the queries of many views are checked", async () => {
  await using app = await testApp();
  const client = await viewer(app);
  const pausesOf = (count: number): Promise<number> =>
    countPauses(() => callJson(client, PATH, "POST", views(count, `id__gt=${count}`)));
  await pausesOf(1);
  const few = await pausesOf(10);
  const many = await pausesOf(50);
  // Once when a body is parsed, and once when its query is checked.
  assert(many >= few + 2 * 40, `${few} pauses for 10, ${many} for 50`);
});
