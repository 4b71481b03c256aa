import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { USUAL_QUERIES } from "../bench/usual_queries.ts";
import { testDatabase } from "../support/database.ts";

Deno.test("the usual queries are answered from the index that was made for them", async (t) => {
  await using database = await testDatabase();
  for (const [name, query] of Object.entries(USUAL_QUERIES)) {
    await t.step(name, async () => {
      const steps = await database.all<{ detail: string }>(sql.raw(`EXPLAIN QUERY PLAN ${query.sql}`));
      const plan = steps.map((step) => step.detail).join("\n");
      assert.match(plan, new RegExp(`${query.index}\\b`));
      assert.doesNotMatch(plan, /SCAN certificates$/m, "no walk through the table");
      if (query.sorts === undefined) assert.doesNotMatch(plan, /TEMP B-TREE/);
    });
  }
});
