/** Text comparisons against a model in JavaScript: with and without the trigram index, on hostile texts. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import type { FilterOperator } from "../../src/filters/ast.ts";
import { compareText, type TextComparison } from "../../src/filters/compile_values.ts";
import { caseForms, isAsciiCased, isFoldedByIndex } from "../../src/filters/text_patterns.ts";
import { type InventoryDb, openInventory } from "./inventory_db.ts";

const COLUMN = sql.raw("c.common_name");

function condition(operator: FilterOperator, values: readonly string[], options: { indexed: boolean }): SQL {
  const index = { table: "certificate_search", column: "common_name", rowid: sql.raw("c.id") };
  const comparison: TextComparison = { operator, values, alias: "c", ...(options.indexed ? { index } : {}) };
  return compareText(COLUMN, comparison);
}

async function select(db: InventoryDb, where: SQL): Promise<number[]> {
  const rows = await db.all<{ id: number }>(
    sql`SELECT c.id FROM certificates AS c WHERE ${where} ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns whether two characters are equal: with ASCII folding for a value without other letters, else by one-to-one
 * forms.
 */
function sameFolded(expected: string, given: string, ascii: boolean): boolean {
  if (!ascii) return caseForms(expected).includes(given);
  const fold = (character: string): string => /[A-Z]/.test(character) ? character.toLowerCase() : character;
  return fold(expected) === fold(given);
}

/** Evaluates an operator. */
function matches(operator: FilterOperator, value: string, text: string): boolean {
  const [expected, given] = [[...value], [...text]];
  const ascii = isAsciiCased(value);
  const same = (offset: number): boolean =>
    expected.every((character, index) => {
      const other = given[offset + index];
      return other !== undefined &&
        (operator.startsWith("i") ? sameFolded(character, other, ascii) : character === other);
    });
  const last = given.length - expected.length;
  switch (operator.replace(/^i/, "")) {
    case "exact":
      return last === 0 && same(0);
    case "startswith":
      return same(0);
    case "endswith":
      return last >= 0 && same(last);
    default:
      return given.some((_, offset) => same(offset));
  }
}

const OPERATORS: readonly FilterOperator[] = [
  "exact",
  "iexact",
  "contains",
  "icontains",
  "startswith",
  "istartswith",
  "endswith",
  "iendswith",
];

/** Characters that some layer might misinterpret: case, patterns, FTS syntax, order of code points, astral planes. */
const ALPHABET = [
  ..."aAbzZ@[]^_%\\*?-\"':{}() éÉßẞöÖıIſsSKkΣσς\u0301日😀\u{10400}\u{10428}აᲐ\ud7ff\ue000\u{10ffff}",
];

/** Returns a small repeatable generator (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function otherCase(text: string): string {
  return [...text].map((character) => caseForms(character).at(-1)!).join("");
}

Deno.test("every text comparison agrees with its model, with the index and without", async () => {
  await using db = await openInventory();
  const random = generator(20261120);
  const word = (length: number): string =>
    Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]!).join("");
  const texts = Array.from({ length: 300 }, () => word(random(12)));
  await db.insert(texts.map((common_name, index) => ({ id: index + 1, common_name })));
  let found = 0;
  for (let round = 0; round < 400; round++) {
    const text = [...texts[random(texts.length)]!];
    const start = random(text.length + 1);
    const piece = text.slice(start, start + 1 + random(5)).join("") || word(1 + random(4));
    const values = [random(2) === 0 ? piece : otherCase(piece)];
    while (random(4) === 0) values.push(word(1 + random(4)));
    for (const operator of OPERATORS) {
      const expected = texts.flatMap((text, index) =>
        values.some((value) => matches(operator, value, text)) ? [index + 1] : []
      );
      found += expected.length;
      for (const indexed of [false, true]) {
        const actual = await select(db, condition(operator, values, { indexed }));
        assert.deepEqual(actual, expected, `${operator} ${JSON.stringify(values)} indexed: ${indexed}`);
      }
    }
  }
  assert.ok(found > 5_000, `the texts are worth comparing (${found} hits)`);
});

Deno.test("the index folds every letter for which isFoldedByIndex is true as caseForms does", async () => {
  await using db = await openInventory();
  const cased: string[] = [];
  for (let point = 0; point < 0x20000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const character = String.fromCodePoint(point);
    if (caseForms(character).length > 1 && isFoldedByIndex(character)) cased.push(character);
  }
  assert.ok(cased.length > 800, `${cased.length} letters`);
  const all = [...new Set(cased.flatMap(caseForms))];
  await db.insert(
    all.map((character) => ({ id: character.codePointAt(0)!, common_name: character.repeat(3) })),
  );
  await db.database.write((tx) =>
    tx.run(sql`CREATE VIRTUAL TABLE trigrams USING fts5vocab('certificate_search', 'instance')`)
  );
  const rows = await db.all<{ term: string; doc: number }>(sql`SELECT term, doc FROM trigrams`);
  const terms = new Map(rows.map(({ term, doc }) => [String.fromCodePoint(doc), term]));
  const apart = cased.filter((character) =>
    caseForms(character).some((form) => terms.get(form) !== terms.get(character))
  );
  assert.deepEqual(apart, []);
});

Deno.test("a value of the maximum length makes a pattern that SQLite accepts", async () => {
  await using db = await openInventory();
  const longest = "é".repeat(2_000);
  await db.insert([{ id: 1, common_name: longest }, { id: 2, common_name: "x" }]);
  for (const operator of OPERATORS) {
    for (const value of [longest, longest.toUpperCase(), "%".repeat(2_000), "*".repeat(2_000)]) {
      const expected = matches(operator, value, longest) ? [1] : [];
      assert.deepEqual(await select(db, condition(operator, [value], { indexed: true })), expected, operator);
    }
  }
});

Deno.test("as many texts as the budget allows are searched at once", async () => {
  await using db = await openInventory();
  await db.insert([{ id: 1, common_name: "x".repeat(70) }, { id: 2, common_name: "é".repeat(70) }]);
  const values = Array.from({ length: 100 }, (_, index) => (index % 2 ? "x" : "É").repeat(64) + index);
  for (const operator of OPERATORS) {
    assert.deepEqual(await select(db, condition(operator, values, { indexed: true })), [], operator);
    const hits = [...values.slice(1), "xxx", "ÉÉÉ"];
    const expected = matches(operator, "ÉÉÉ", "é".repeat(70))
      ? [1, 2]
      : matches(operator, "xxx", "x".repeat(70))
      ? [1]
      : [];
    assert.deepEqual(await select(db, condition(operator, hits, { indexed: true })), expected, operator);
  }
});
