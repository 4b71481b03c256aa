import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { AppError } from "../../src/base/errors.ts";
import {
  idsIn,
  inBatches,
  insertRows,
  MAX_PACKED_CHARS,
  nextIds,
  pack,
  type Row,
  updateRows,
} from "../../src/db/mod.ts";
import { SHARING_ROWS } from "../../src/db/rows.ts";
import { compliance_scores, tenants, webhooks } from "../../src/db/schema/mod.ts";
import { testDatabase } from "../support/database.ts";

const STAMPS = { created: 1, last_updated: 2 };

function tenant(name: string, more: Row = {}): Row {
  return { name, slug: name, description: "", ...STAMPS, ...more };
}

const TEXTS: Record<string, string> = {
  "an empty text": "",
  "digits": "0123",
  "a large number": "9007199254740993",
  "an exponent": "1e5",
  "JSON words": "null",
  "a JSON object": `{"a":[1,"b"]}`,
  "quotes and backslashes": `"'\\\\"\\u0041`,
  "an invalid escape": "\\ud800 \\u0000",
  "line ends and control characters": "a\r\n\t\x01\x1f\x7fb",
  "letters outside ASCII": "éß漢字🙂🏳️‍🌈",
  "SQL": "'); DROP TABLE tenants; --",
  "a long text": "x".repeat(100_000),
};

for (const [what, text] of Object.entries(TEXTS)) {
  Deno.test(`a row keeps ${what} unchanged`, async () => {
    await using database = await testDatabase();
    await database.write((tx) =>
      tx.run(insertRows(tenants, [{ name: text, slug: "s", description: text, ...STAMPS }]))
    );
    await database.write((tx) => tx.run(updateRows(tenants, [{ id: 1, description: text + text }])));
    assert.deepStrictEqual(
      await database.all(sql`SELECT name, description, typeof(name) AS type FROM tenants`),
      [
        { name: text, description: text + text, type: "text" },
      ],
    );
  });
}

Deno.test("a row keeps whole numbers up to 2^53, fractions and null", async () => {
  await using database = await testDatabase();
  const largest = Number.MAX_SAFE_INTEGER;
  await database.write(async (tx) => {
    await tx.run(insertRows(compliance_scores, [
      { day: largest, passed: -largest, failed: 0, score: 66.7 },
      { day: 1, passed: 1, failed: -0, score: 100 },
    ]));
    await tx.run(insertRows(webhooks, [{ name: "w", payload_url: "u", conditions: null, ...STAMPS }]));
  });
  assert.deepStrictEqual(await database.all(sql`SELECT day, passed, failed, score FROM compliance_scores`), [
    { day: largest, passed: -largest, failed: 0, score: 66.7 },
    { day: 1, passed: 1, failed: 0, score: 100 },
  ]);
  assert.deepStrictEqual(await database.all(sql`SELECT conditions, typeof(enabled) AS type FROM webhooks`), [
    { conditions: null, type: "integer" },
  ]);
});

Deno.test("a lone surrogate is stored as U+FFFD, a null character is refused", async () => {
  await using database = await testDatabase();
  await database.write((tx) =>
    tx.run(insertRows(tenants, [tenant("a\ud800b"), tenant("\udfff\ud83d\ude42")]))
  );
  assert.deepStrictEqual(await database.all(sql`SELECT name FROM tenants ORDER BY id`), [
    { name: "a\ufffdb" },
    { name: "\ufffd🙂" },
  ]);
  assert.throws(
    () => insertRows(tenants, [tenant("a\0b")]),
    (error) => error instanceof AppError && error.code === "invalid",
  );
});

const REFUSED: Record<string, { rows: Record<string, unknown>[]; message: RegExp }> = {
  "a column that the table does not have": {
    rows: [{ name: "a", colour: "b" }],
    message: /no column "colour"/,
  },
  "a column named like SQL": { rows: [{ 'name") --': "a" }], message: /no column/ },
  "an inherited name": { rows: [{ constructor: "a" }], message: /no column "constructor"/ },
  "a row that lacks a column": {
    rows: [{ name: "a", slug: "a" }, { name: "b" }],
    message: /"slug", not a value of type "undefined"/,
  },
  "a row with an additional column": {
    rows: [{ name: "a" }, { name: "b", slug: "b" }],
    message: /Expected the columns of the first row/,
  },
  "NaN": { rows: [{ id: NaN }], message: /Expected a finite number, .* not NaN/ },
  "infinity": { rows: [{ id: -Infinity }], message: /Expected a finite number/ },
  "a whole number beyond 2^53": { rows: [{ id: 2 ** 53 }], message: /Expected a finite number/ },
  "a boolean": { rows: [{ id: true }], message: /type "boolean"/ },
  "an object": { rows: [{ id: {} }], message: /type "object"/ },
};

for (const [what, { rows, message }] of Object.entries(REFUSED)) {
  Deno.test(`insertRows refuses ${what}`, () => {
    assert.throws(() => insertRows(tenants, rows as Row[]), message);
  });
}

Deno.test("a value that many rows share is stored in each of them", async () => {
  await using database = await testDatabase();
  const count = SHARING_ROWS;
  const rows = Array.from(
    { length: count },
    (_, n) => ({ day: n, passed: 7, failed: Number.MAX_SAFE_INTEGER, score: 66.7 }),
  );
  await database.write(async (tx) => {
    await tx.run(insertRows(compliance_scores, rows));
    await tx.run(insertRows(
      webhooks,
      rows.map(({ day }) => ({ name: `w${day}`, payload_url: "a?b\ud800", conditions: null, ...STAMPS })),
    ));
  });
  assert.deepStrictEqual(
    await database.all(sql`SELECT day, passed, failed, score FROM compliance_scores ORDER BY day`),
    rows,
  );
  assert.deepStrictEqual(
    await database.all(sql`SELECT payload_url, conditions, count(*) AS n FROM webhooks GROUP BY 1, 2`),
    [{ payload_url: "a?b\ufffd", conditions: null, n: count }],
  );
});

Deno.test("many rows with the same null character or value of another type are refused like one", () => {
  const many = (row: Row): Row[] => Array<Row>(SHARING_ROWS).fill(row);
  assert.throws(() => insertRows(tenants, many(tenant("a\0b"))), { code: "invalid" });
  assert.throws(
    () => insertRows(tenants, many({ name: true } as unknown as Row)),
    /type "boolean"/,
  );
});

Deno.test("insertRows inserts any number of rows in one statement, also none, and accepts a further clause", async () => {
  await using database = await testDatabase();
  await database.write(async (tx) => {
    assert.equal(await tx.run(insertRows(tenants, [])), 0);
    const before = database.statements;
    assert.equal(
      await tx.run(insertRows(tenants, Array.from({ length: 5_000 }, (_, n) => tenant(`t${n}`)))),
      5_000,
    );
    assert.equal(database.statements - before, 1);
    const more = insertRows(tenants, [tenant("t7"), tenant("new")]);
    assert.deepStrictEqual(await tx.all(sql`${more} ON CONFLICT DO NOTHING RETURNING id, name`), [
      { id: 5_002, name: "new" },
    ]);
  });
});

Deno.test("updateRows changes only the named columns of the named rows", async () => {
  await using database = await testDatabase();
  await database.write(async (tx) => {
    await tx.run(insertRows(tenants, [tenant("a"), tenant("b"), tenant("c")]));
    const changed = await tx.run(updateRows(tenants, [
      { id: 1, name: "A", last_updated: 9 },
      { id: 3, name: "C", last_updated: 8 },
      { id: 99, name: "nobody", last_updated: 8 },
    ]));
    assert.equal(changed, 2);
    assert.equal(await tx.run(updateRows(tenants, [])), 0);
  });
  assert.deepStrictEqual(
    await database.all(sql`SELECT id, name, slug, last_updated FROM tenants ORDER BY id`),
    [
      { id: 1, name: "A", slug: "a", last_updated: 9 },
      { id: 2, name: "b", slug: "b", last_updated: 2 },
      { id: 3, name: "C", slug: "c", last_updated: 8 },
    ],
  );
  assert.throws(() => updateRows(tenants, [{ name: "a" }]), /Rows to update must have an "id"/);
});

Deno.test("reserved ids are never used again, unless the transaction is rolled back", async () => {
  await using database = await testDatabase();
  await database.write(async (tx) => {
    assert.equal(await nextIds(tx, tenants, 10), 1);
    assert.equal(await nextIds(tx, tenants, 1), 11);
    await tx.run(insertRows(tenants, [{ id: 11, ...tenant("eleven") }, { id: 3, ...tenant("three") }]));
  });
  await assert.rejects(database.write(async (tx) => {
    assert.equal(await nextIds(tx, tenants, 5), 12);
    throw new Error("mine");
  }));
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM tenants`);
    await tx.run(insertRows(tenants, [tenant("next")]));
    assert.deepStrictEqual(await tx.all(sql`SELECT id FROM tenants`), [{ id: 12 }]);
    assert.equal(await nextIds(tx, tenants, 1), 13);
  });
});

Deno.test("idsIn matches any number of ids, also none", async () => {
  await using database = await testDatabase();
  await database.write((tx) =>
    tx.run(insertRows(tenants, Array.from({ length: 100 }, (_, n) => tenant(`t${n}`))))
  );
  const many = Array.from({ length: 50_000 }, (_, n) => n + 51);
  for (const [ids, count] of [[many, 50], [[], 0], [[1, 1, 2, -5, 1.5], 2]] as const) {
    const rows = await database.all(sql`SELECT id FROM tenants WHERE id IN ${idsIn(ids)}`);
    assert.equal(rows.length, count);
  }
});

Deno.test("packed rows are refused before they are parsed when they are too large together", () => {
  const { unpack } = pack([["a", sql`a`]]);
  const row = (chars: number) => ({ packed: JSON.stringify(["x".repeat(chars - 4)]) });
  const half = row(MAX_PACKED_CHARS / 2);
  assert.equal(unpack([half, half]).length, 2);
  assert.throws(
    () => unpack([half, half, row(5)]),
    (error) => error instanceof AppError && error.code === "too_large",
  );
});

Deno.test("a batch has the maximum number of characters at most, or one row; rows keep their order", () => {
  const rows = (...lengths: number[]): Row[] =>
    lengths.map((length, id) => ({ id, name: "x".repeat(length), n: null }));
  const lengths = (batches: Row[][]): number[][] =>
    batches.map((batch) => batch.map(({ name }) => String(name).length));
  assert.deepEqual(inBatches([], 10), []);
  assert.deepEqual(lengths(inBatches(rows(4, 6, 1), 10)), [[4, 6], [1]]);
  assert.deepEqual(lengths(inBatches(rows(4, 7, 3), 10)), [[4], [7, 3]]);
  assert.deepEqual(lengths(inBatches(rows(11, 0, 25, 1), 10)), [[11], [0], [25], [1]]);
});
