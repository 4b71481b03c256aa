/** Comparisons of the names in a list: by the list in the row, by the trigram index, and by the table of names. */

import assert from "node:assert/strict";
import { type SQL, sql } from "drizzle-orm";
import fc from "fast-check";
import type { FilterOperator } from "../../src/filters/ast.ts";
import { compareText, textSearch } from "../../src/filters/compile_values.ts";
import { compileCondition, type TextSearch } from "../../src/filters/mod.ts";
import { openInventory } from "./inventory_db.ts";
import { CERTIFICATES, CONTEXT } from "./support.ts";

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
/** Characters with a meaning in JSON, patterns and FTS5, and letters with several forms. */
const CHARACTERS = [..."aAbB1.-*:@/=+_%?[](){},\"'\\ \n\u0001éÉßÖ\u0301😀"];
const name = fc.oneof(
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 10 }).map((characters) => characters.join("")),
  fc.array(fc.constantFrom("www", "mail", "1234", "example", "com", "é", "u0041"), {
    minLength: 1,
    maxLength: 4,
  })
    .map((labels) => labels.join(".")),
);

Deno.test("names match in the same way by the list, by the index and by the table of names", async () => {
  await using db = await openInventory();
  const lists = fc.sample(fc.array(name, { maxLength: 4 }), { seed: 5, numRuns: 250 });
  const rows = [...lists, [], ["a", "b"], ["a,b"], ['a","b'], ["\\u0061bc"], ["abc"], ["[abc]"]];
  await db.insert(rows.map((sans, index) => ({ id: index + 1, sans })));
  // A list with escapes and spaces, as another program may write it.
  await db.insert([{ id: 9_999, sans: ["abc", "d"] }]);
  await db.database.write((tx) =>
    tx.run(sql`UPDATE certificates SET sans = ${'["\\u0061bc", "d"]'} WHERE id = 9999`)
  );
  const select = async (where: SQL): Promise<number[]> =>
    (await db.all<{ id: number }>(sql`SELECT c.id FROM certificates AS c WHERE ${where} ORDER BY 1`))
      .map(({ id }) => id);
  const known = rows.flat().filter((one) => one !== "");
  const piece = fc.tuple(fc.constantFrom(...known), fc.nat(), fc.nat(8)).map(([text, at, size]) => {
    const characters = [...text];
    const start = at % characters.length;
    return characters.slice(start, start + 1 + size).join("");
  });
  const values = fc.array(fc.oneof({ weight: 4, arbitrary: piece }, { weight: 1, arbitrary: name }), {
    minLength: 1,
    maxLength: 3,
  });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(values, fc.constantFrom(...OPERATORS), fc.boolean(), async (values, operator, upper) => {
      const given = upper ? values.map((value) => value.toUpperCase()) : values;
      const expected = await select(
        sql`c.id IN (SELECT certificate_id FROM certificate_sans WHERE ${
          compareText(sql.raw("value"), { operator, values: given, alias: "c" })
        })`,
      );
      found += expected.length;
      const compare = { kind: "compare", path: ["san"], operator, values: given, negated: false } as const;
      const searches: (TextSearch | undefined)[] = [undefined, textSearch(false), textSearch(true)];
      for (const search of searches) {
        const context = search === undefined ? CONTEXT : { ...CONTEXT, search };
        const actual = await select(compileCondition(compare, CERTIFICATES, context));
        assert.deepEqual(actual, expected, `${operator} ${JSON.stringify(given)} ${JSON.stringify(search)}`);
      }
    }),
    { numRuns: 600, seed: 20261123 },
  );
  assert(found > 2_000, `the values find something (${found})`);
});
