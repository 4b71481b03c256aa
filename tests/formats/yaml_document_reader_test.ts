/** A YAML library reads YAML documents back as the same value, in both versions of the language. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { yamlDocument } from "../../src/formats/mod.ts";

const VALUES: readonly unknown[] = [
  null,
  "plain",
  12.5,
  [],
  {},
  { a: [], b: {}, "c: d": null, "": "" },
  [[1, [2, []]], { a: [{ b: 1, c: ["x"] }] }],
  { openapi: "3.1.0", on: "no", text: "two\nlines\n", quoted: '"x": y # z', long: "word ".repeat(500) },
  { "- key": " leading", "12:34:56": "0123", tab: "\t", nel: "\u0085", deep: { list: ["a\nb", "c"] } },
];

for (const value of VALUES) {
  for (const version of ["1.1", "1.2"] as const) {
    Deno.test(`YAML ${version} readers read ${JSON.stringify(value).slice(0, 40)} back unchanged`, () => {
      assert.deepEqual(parse(yamlDocument(value), { version }), value);
    });
  }
}

Deno.test("members that are undefined are left out", () => {
  assert.equal(yamlDocument({ a: undefined, b: 1 }), "b: 1\n");
});
