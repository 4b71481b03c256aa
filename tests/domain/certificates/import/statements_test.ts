/** The number of statements of an import does not depend on its size. */

import assert from "node:assert/strict";
import type { Database } from "../../../../src/db/mod.ts";
import { bulkImport } from "../../../../src/domain/certificates/import/mod.ts";
import { testApp } from "../../../support/app.ts";
import { pki } from "../../../support/pki.ts";
import { seededDatabase } from "../../../support/seed.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";
import { BULK_DATA, BULK_IMPORT, csvOf, IMPORT_FILE, metadata } from "./support.ts";

const ca = await TestCa.root({ subject: "C=US, O=Acme Corp, CN=Acme Issuing CA two" });
const many = await Promise.all(
  Array.from({ length: 100 }, (_, index) => ca.issue({ cn: `n${index}.example`, serial: 0x800000 + index })),
);

const CALLS: [address: string, body: (count: number) => unknown][] = [
  [
    BULK_IMPORT,
    (count) => many.slice(0, count).map(({ pem }) => ({ pem_content: pem, tenant: 1 })),
  ],
  [BULK_DATA, (count) => ({ content: csvOf(rows(count)) })],
  [
    BULK_DATA,
    (count) => ({ content: csvOf([...rows(count / 2), ...rows(count / 2)]), on_duplicate: "skip" }),
  ],
  [IMPORT_FILE, (count) => {
    const form = new FormData();
    form.append("file", new File([many.slice(0, count).map(({ pem }) => pem).join("")], "x.pem"));
    form.append("tenant", "acme");
    return form;
  }],
];

function rows(count: number): Record<string, unknown>[] {
  return Array.from(
    { length: count },
    (_, index) => metadata(index, { tenant: index % 2 === 0 ? "acme" : "globex" }),
  );
}

for (const [index, [address, body]] of CALLS.entries()) {
  Deno.test(`${address.split("/").at(-2)} (${index}): as many statements for 2 certificates as for 10 and 100`, async () => {
    const counts: number[] = [];
    for (const count of [2, 10, 100]) {
      await using app = await testApp();
      const client = await app.as("superuser");
      await client("/api/status/");
      const before = app.database.statements;
      const answer = await client(address, { method: "POST", body: body(count) });
      assert.equal(answer.status, 201, await answer.text());
      counts.push(app.database.statements - before);
    }
    assert.equal(new Set(counts).size, 1, counts.join());
  });
}

Deno.test("bulk-import: the records of a hundred PEM texts are written in three round trips, and not read back", async () => {
  await using database = await seededDatabase();
  const trips: string[] = [];
  const counting: Database = {
    kind: database.kind,
    get statements(): number {
      return database.statements;
    },
    all: (query) => database.all(query),
    batch: (queries) => database.batch(queries),
    close: () => database.close(),
    write: (work) =>
      database.write((tx) => {
        trips.length = 0;
        return work({
          all: (query) => (trips.push("all"), tx.all(query)),
          batch: (queries) => (trips.push("batch"), tx.batch(queries)),
          run: (query) => (trips.push("run"), tx.run(query)),
          runAll: (queries) => (trips.push("runAll"), tx.runAll(queries)),
          afterCommit: (after) => tx.afterCommit(after),
        });
      }),
  };
  await using app = await testApp();
  const ctx = { ...app.ctx, database: counting };
  await bulkImport({
    ctx,
    input: [...many.slice(0, 99), pki.fresh].map(({ pem }) => ({ pem_content: pem })),
  });
  // First custom fields, authorities, existing certificates and lists are looked up and ids reserved; then come the rows and
  // ids of the log; then the log.
  assert.deepEqual(trips, ["all", "all", "all", "all", "all", "runAll", "all", "runAll"]);
});
