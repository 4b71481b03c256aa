/** Compares the rows of each filter in REST and in GraphQL. */

import assert from "node:assert/strict";
import { namesOfFilters, SCHEMA_RESOURCES } from "../../src/graphql/mod.ts";
import type { FilterName } from "../../src/filters/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { lend } from "../support/pool.ts";
import { data } from "./support.ts";

/** Filters in one query: each needs an alias. */
const BATCH = 15;

/** Returns a value that some rows have and others do not, as JSON. */
function valueOf({ type, choices, name }: FilterName): string | number | boolean {
  switch (type) {
    case "integer":
      return name.endsWith("key_size") || name.includes("key_size__") ? 2048 : 2;
    case "boolean":
      return true;
    case "datetime":
      return "2026-06-15";
    case "choice":
      return choices?.find((choice) => choice !== "") ?? "";
    case "hex":
      return "0a";
    case "regex":
      return "^[a-m]";
    default:
      return /(?:tenant|slug)(?:__\w+)?$/.test(name) ? "acme" : "e";
  }
}

async function byRest(
  client: Client,
  path: string,
  [name, value]: readonly [string, unknown],
): Promise<number[]> {
  const query = new URLSearchParams({ [name]: String(value), fields: "id", limit: "0" });
  const response = await client(`/api/${path}/?${query}`);
  const body = await response.json();
  assert.equal(response.status, 200, `${name}: ${JSON.stringify(body)}`);
  return body.results.map((row: { id: number }) => row.id);
}

for (const entry of SCHEMA_RESOURCES) {
  const { name, resource } = entry;
  Deno.test(`every filter of ${name}_list finds what REST finds`, async () => {
    // Nothing is written, so all of these tests share one application and its GraphQL schema.
    await using lent = await lend({ as: "superuser" });
    const { client } = lent;
    const named = namesOfFilters(entry);
    let some = 0;
    for (let from = 0; from < named.length; from += BATCH) {
      const batch = named.slice(from, from + BATCH);
      const fields = batch.map((filter, index) =>
        `a${index}: ${name}_list(filters: {${filter.name}: ${
          JSON.stringify(valueOf(filter))
        }}, pagination: {limit: 0}) { id }`
      );
      const answer = await data(client, `{ ${fields.join(" ")} }`);
      for (const [index, filter] of batch.entries()) {
        const ids = answer[`a${index}`].map((row: { id: number }) => row.id);
        assert.deepEqual(
          ids,
          await byRest(client, resource.path, [filter.name, valueOf(filter)]),
          filter.name,
        );
        if (ids.length > 0) some++;
      }
    }
    assert.ok(some > named.length / 4, `Only ${some} of ${named.length} filters found anything`);
  });
}

Deno.test("lists of values are OR, null is null, and AND, OR and NOT join filters", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const cases: readonly (readonly [filters: string, rest: string])[] = [
    [`{status: ["expired", "pending"]}`, "status=expired&status=pending"],
    [`{tenant_id: null}`, "tenant_id=null"],
    [`{tenant_id: [null, 1]}`, "tenant_id=null&tenant_id=1"],
    [`{AND: [{status: "active"}, {algorithm: "rsa"}]}`, "status=active&algorithm=rsa"],
    [`{NOT: {status: "active"}}`, "status__n=active"],
    [`{status: "expired", OR: {status: "pending"}}`, "status=expired&status=pending"],
    [`{tenant__where: {name__ic: "ACME"}}`, "tenant__name__ic=ACME"],
    [`{replaced_by__where: {tenant__where: {slug: "acme"}}}`, "replaced_by__tenant__slug=acme"],
    [
      `{tenant__where: {OR: [{slug: "acme"}, {slug: "globex"}]}, status: "revoked"}`,
      "tenant=globex&status=revoked",
    ],
    [`{q: "acme", status: "pending"}`, "q=acme&status=pending"],
    [`{}`, ""],
  ];
  for (const [filters, rest] of cases) {
    const { certificate_list: list, certificate_list_total: total } = await data(
      client,
      `{ certificate_list(filters: ${filters}) { id } certificate_list_total(filters: ${filters}) }`,
    );
    const response = await client(`/api/plugins/certmgr/certificates/?fields=id&${rest}`);
    const { results, count } = await response.json();
    assert.deepEqual(list, results.map(({ id }: { id: number }) => ({ id })), filters);
    assert.equal(total, count, filters);
    assert.ok(count > 0, filters);
  }
});
