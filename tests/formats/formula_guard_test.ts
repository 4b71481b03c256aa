import assert from "node:assert/strict";
import { guardFormula, unguardFormula } from "../../src/formats/csv.ts";
import { HOSTILE_TEXTS } from "./support.ts";

const TABLE: readonly (readonly [text: string, guarded: string])[] = [
  ["=1", "'=1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@a", "'@a"],
  ["\t=1", "'\t=1"],
  ["\r=1", "'\r=1"],
  ["'=1", "''=1"],
  ["''=1", "'''=1"],
  ["", ""],
  ["a=1", "a=1"],
  [" =1", " =1"],
  ["'a'", "'a'"],
  ["'", "'"],
  ["\n=1", "\n=1"],
];

for (const [text, guarded] of TABLE) {
  Deno.test(`${JSON.stringify(text)} is guarded as ${JSON.stringify(guarded)}, and is read back unchanged`, () => {
    assert.equal(guardFormula(text), guarded);
    assert.equal(unguardFormula(guarded), text);
  });
}

Deno.test("unguarding undoes guarding, however often it was applied", () => {
  for (const text of HOSTILE_TEXTS) {
    assert.equal(unguardFormula(guardFormula(text)), text);
    assert.equal(unguardFormula(unguardFormula(guardFormula(guardFormula(text)))), text);
  }
});

Deno.test("a text that was not guarded is not changed", () => {
  for (const text of ["'tis", "=1", "-5", "'", "O'Neil"]) assert.equal(unguardFormula(text), text);
});
