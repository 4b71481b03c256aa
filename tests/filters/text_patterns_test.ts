import assert from "node:assert/strict";
import {
  caseForms,
  exactGlob,
  foldedGlob,
  isAsciiCased,
  isFoldedByIndex,
  likePattern,
  prefixEnd,
  trigramQuery,
} from "../../src/filters/text_patterns.ts";

Deno.test("likePattern escapes the special characters of LIKE", () => {
  assert.equal(likePattern("a%b_c\\d", "anywhere"), "%a\\%b\\_c\\\\d%");
  assert.equal(likePattern("a", "start"), "a%");
  assert.equal(likePattern("a", "end"), "%a");
  assert.equal(likePattern("a", "whole"), "a");
});

Deno.test("exactGlob escapes the special characters of GLOB", () => {
  assert.equal(exactGlob("a*b?c[d]^-", "anywhere"), "*a[*]b[?]c[[]d]^-*");
  assert.equal(exactGlob("a", "end"), "*a");
});

Deno.test("foldedGlob replaces each letter by its case forms", () => {
  assert.equal(foldedGlob("aÉ-[1*", "whole"), "[aA][Éé]-[[]1[*]");
  assert.equal(foldedGlob("ß", "start"), "ß*");
});

Deno.test("caseForms keeps forms of one character only", () => {
  assert.deepEqual(caseForms("a"), ["a", "A"]);
  assert.deepEqual(caseForms("Σ"), ["Σ", "σ"]);
  assert.deepEqual(caseForms("ß"), ["ß"]);
  assert.deepEqual(caseForms("İ"), ["İ"]);
  assert.deepEqual(caseForms("𐐀"), ["𐐀", "𐐨"]);
  assert.deepEqual(caseForms("字"), ["字"]);
});

Deno.test("isAsciiCased is true for texts whose case SQLite folds", () => {
  for (const text of ["", "abc", "A-9", "日本", "ß", "a\u0301"]) assert.equal(isAsciiCased(text), true, text);
  for (const text of ["é", "aÄ", "я", "\u212a"]) assert.equal(isAsciiCased(text), false, text);
});

const ENDS: readonly [string, string | undefined][] = [
  ["a", "b"],
  ["az", "a{"],
  ["a\x7f", "a\x80"],
  ["a\ud7ff", "a\ue000"],
  ["a\uffff", "a\u{10000}"],
  ["a\u{10ffff}", "b"],
  ["\u{10ffff}\u{10ffff}", undefined],
  ["", undefined],
];

for (const [prefix, end] of ENDS) {
  Deno.test(`prefixEnd of ${JSON.stringify(prefix)} is ${JSON.stringify(end)}`, () => {
    assert.equal(prefixEnd(prefix), end);
  });
}

Deno.test("trigramQuery quotes the syntax of FTS5", () => {
  const query = (text: string): string | undefined => trigramQuery([text], { column: "x", ignoreCase: true });
  assert.equal(query('y "h"'), '"x" : ("y """ AND " ""h" AND """h""")');
  assert.equal(query(") OR"), '"x" : (") O" AND " OR")');
  assert.equal(query("c* ^d"), '"x" : ("c* " AND "* ^" AND " ^d")');
  assert.equal(
    trigramQuery(["abc", "defg"], { column: 'o"dd', ignoreCase: false }),
    '"o""dd" : (("abc") OR ("def" AND "efg"))',
  );
});

Deno.test("trigramQuery does not use the index if it would miss a row", () => {
  const query = (texts: string[], ignoreCase = true): string | undefined =>
    trigramQuery(texts, { column: "x", ignoreCase });
  assert.equal(query(["ab"]), undefined, "two characters have no trigram");
  assert.equal(query(["😀😀"]), undefined, "characters, not UTF-16 units");
  assert.equal(query(["a\u0301b"]), undefined, "marks may be dropped by the index");
  assert.equal(query(["abc\u0301def"]), '"x" : ("abc" AND "def")', "what is around a mark is not");
  assert.equal(query(["abc", "ab"]), undefined, "one short text is enough");
  assert.equal(query(["აბგ"]), undefined, "letters that had no case for the index");
  assert.notEqual(query(["აბგ"], false), undefined, "without case they are the same");
  assert.notEqual(query(["日本語"]), undefined);
  assert.notEqual(query(["grö"]), undefined);
});

Deno.test("trigramQuery uses only the beginning of a long text", () => {
  const query = trigramQuery(["😀".repeat(2_000)], { column: "x", ignoreCase: true })!;
  assert.equal(query, '"x" : ("😀😀😀")', "each group once");
  assert.equal(
    trigramQuery(["abcdefghijklmnop"], { column: "x", ignoreCase: true })?.match(/"\w{3}"/g)?.join(""),
    '"abc""bcd""cde""def""efg""fgh""ghi""hij""ijk""jkl"',
  );
});

Deno.test("trigramQuery searches for the longest number of a text, because numbers are rarer than words", () => {
  const query = (text: string): string | undefined => trigramQuery([text], { column: "x", ignoreCase: true });
  assert.equal(query("www-12-4711.example.com"), '"x" : ("471" AND "711")');
  assert.equal(
    query("www-12.exam"),
    '"x" : ("www" AND "ww-" AND "w-1" AND "-12" AND "12." AND "2.e" AND ".ex" AND "exa" AND "xam")',
  );
});

Deno.test("isFoldedByIndex is false for letters whose case is newer than the index's tables", () => {
  for (const text of ["Größe", "ΩΣς", "ДЯ", "日本"]) assert.equal(isFoldedByIndex(text), true, text);
  for (const text of ["ı", "ᲐᲑ", "ꭰ", "ɡ", "\u{10400}"]) assert.equal(isFoldedByIndex(text), false, text);
});
