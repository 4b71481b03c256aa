import assert from "node:assert/strict";
import { type ExportRow, FORMATS } from "../../src/formats/mod.ts";
import { documentOf, HOSTILE_TEXTS } from "./support.ts";

Deno.test("JSON: every value is read back unchanged", async () => {
  const rows = HOSTILE_TEXTS.map((text): ExportRow => ({ id: -1, text, list: [text], none: null, is: true }));
  const document = await documentOf(FORMATS.json, rows);
  assert.deepEqual(JSON.parse(document), rows);
  assert.equal(document.split("\n").length, rows.length + 3, "A row a line");
});

for (
  const [count, document] of [[0, "[]\n"], [1, '[\n{"id":0}\n]\n'], [
    2,
    '[\n{"id":0},\n{"id":1}\n]\n',
  ]] as const
) {
  Deno.test(`JSON: ${count} rows are a complete list`, async () => {
    const rows = Array.from({ length: count }, (_, id) => ({ id }));
    assert.equal(await documentOf(FORMATS.json, rows, ["id"]), document);
  });
}
