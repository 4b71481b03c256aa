/** How rows with a text are counted depends on how common it is; `search_paths_test.ts` compares the counts themselves. */

import assert from "node:assert/strict";
import { fillInventory } from "../bench/inventory.ts";
import { granted } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { collecting } from "../support/collected_statements.ts";
import { testFileDatabase } from "../support/database.ts";
import { PATHS } from "../support/paths.ts";

/** More rows than the sample from which the frequency of a text is measured. */
const COUNT = 6_000;

type Way = "index of texts" | "each row" | "index of names";

Deno.test("a text search counts rows by the text index, by a scan, or along the index of names", async () => {
  const database = collecting(await testFileDatabase());
  await fillInventory(database, { count: COUNT });
  await using app = await testApp({ database });
  const everything = await app.as("superuser");
  const types = ["certmgr.certificate"];
  const some = await app.as(granted([{ types, actions: ["view"], constraints: { status: "active" } }]));
  const wayOf = async (query: string, client = everything): Promise<Way> => {
    database.collected.clear();
    assert.equal((await client(`${PATHS.certificates}?${query}&limit=1`)).status, 200);
    const counts = [...database.collected.keys()].filter((statement) =>
      statement.startsWith("SELECT count(*) AS n")
    );
    assert.equal(counts.length, 1, query);
    if (counts[0]!.includes("INDEXED BY")) return "index of names";
    const matches = counts[0]!.split("MATCH").length - 1;
    assert(matches <= 1, "one search for all columns");
    return matches === 1 ? "index of texts" : "each row";
  };
  // In all names, in some, in none.
  assert.equal(await wayOf("q=example.com"), "index of names");
  assert.equal(await wayOf("q=corp"), "each row");
  assert.equal(await wayOf("q=xyzzy"), "index of texts");
  assert.equal(await wayOf("common_name__ic=example.com"), "index of names");
  assert.equal(await wayOf("san__ic=example.com"), "each row");
  // Too short for the text index.
  assert.equal(await wayOf("q=e"), "index of names");
  assert.equal(await wayOf("q=ap"), "each row");
  // With another condition, no index of names helps to count.
  assert.equal(await wayOf("q=example.com&status=active"), "each row");
  assert.equal(await wayOf("q=example.com", some), "each row");
});
