/** Counts what the requests of `bench:compare` cost: this does not depend on the machine, unlike their times. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { sha256Hex } from "../../src/base/bytes.ts";
import { insertRows } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { sessions } from "../../src/db/schema/mod.ts";
import { benchApp } from "./bench_app.ts";
import { BENCH_KEY, benchDatabase } from "./bench_database.ts";
import { casesOf, prepared, sender, SESSION_SECRET, sessionRow } from "./compare_cases.ts";
import { GENERATED_NOW } from "./inventory.ts";
import { recording } from "./recording.ts";

const COUNT = 3_000;

/** Statements of the third request, of which caches know everything but the rows; and the most bytes of its response. */
const LIMITS: Readonly<Record<string, readonly [statements: number, bytes: number]>> = {
  "detail": [1, 2_350],
  "contains": [3, 34_000],
  "broad search": [2, 41_000],
  "list of 50": [2, 110_000],
  "status + tenant": [3, 27_000],
  "half-way offset": [2, 110_000],
  "… by valid_to": [2, 110_000],
  "list page": [7, 98_000],
  "… of two statuses": [7, 100_000],
  "dashboard": [2, 60_000],
  "GraphQL of 1,000": [3, 160_000],
  "export JSON": [4, 620_000],
  "export CSV": [4, 420_000],
  "validate-chain": [8, 1_600],
  "compliance of 100 × 4": [4, 16_000],
  "import of a PEM with chain": [11, 7_300],
  "… by 4 clients": [11, 7_600],
  "100 PEMs": [11, 21_000],
  "table of 100": [8, 12_000],
};

Deno.test("a request of each kind sends as few statements and bytes as before", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "certmgr-test-" });
  const database = await openFileDatabase({ path: await benchDatabase(COUNT, folder), durable: false });
  try {
    await database.write((tx) =>
      tx.run(insertRows(sessions, [sessionRow(sha256Hex(SESSION_SECRET), GENERATED_NOW)]))
    );
    const send = sender(benchApp(database, { maxExportSize: 1_000_000 }), BENCH_KEY);
    const cases = Object.entries(casesOf(COUNT));
    assert.deepEqual(cases.map(([name]) => name), Object.keys(LIMITS));
    let n = 0;
    for (const [name, { request, setup = [] }] of cases) {
      await t.step(name, async () => {
        for (const asked of setup) await send(asked);
        let used = [0, 0];
        for (let time = 0; time < 3; time++) {
          const asked = await prepared(send, await request(++n));
          const before = database.statements;
          const { length } = await send(asked);
          used = [database.statements - before, length];
        }
        const [statements, bytes] = LIMITS[name]!;
        assert.equal(used[0], statements, "statements");
        assert.ok(used[1]! <= bytes, `${used[1]} bytes, at most ${bytes}`);
      });
    }
    await t.step("a list page merges the lists of its statuses, which end when it is full", async () => {
      const recorder = recording(database);
      const page = sender(benchApp(recorder), BENCH_KEY);
      for (const name of ["list page", "… of two statuses"]) {
        const { request } = casesOf(COUNT)[name]!;
        await page(await request(1));
        recorder.begin();
        await page(await request(2));
        const ids = recorder.end().statements.filter(({ sql }) => sql.includes("UNION ALL"));
        assert.equal(ids.length, 1, name);
        const plan = await database.all<{ detail: string }>(sql.raw(`EXPLAIN QUERY PLAN ${ids[0]!.sql}`));
        const merged = plan.filter(({ detail }) => detail === "MERGE (UNION ALL)");
        assert.equal(merged.length, 4, name);
      }
    });
  } finally {
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
});
