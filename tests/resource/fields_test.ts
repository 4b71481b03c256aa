/** Types of fields: accepted values, stored values, and messages for refused values. */

import assert from "node:assert/strict";
import {
  boolean,
  choice,
  datetime,
  type Field,
  hex,
  integer,
  list,
  many,
  plainHex,
  quote,
  reference,
  text,
} from "../../src/resource/mod.ts";
import { ofIssue, textOf } from "../../src/base/findings.ts";
import { tags } from "../../src/domain/inventory/mod.ts";

const options = { description: "x" };
const ALL_FIELDS = { ...options, min: -5, max: 5 };
const LINK = { table: "tagged_items", own: "object_id", other: "tag_id" };

const FIELDS: Readonly<Record<string, Field>> = {
  text: text("x", { ...options, max: 5 }),
  required: text("x", { ...options, required: true }),
  nullable: text("x", { ...options, nullable: true }),
  pattern: text("x", { ...options, pattern: { regex: /^[a-z]+$/, expected: "small letters" } }),
  choice: choice("x", { ...options, choices: ["one", "two"] }),
  integer: integer("x", ALL_FIELDS),
  boolean: boolean("x", options),
  datetime: datetime("x", options),
  hex: hex("x", { ...options, plainColumn: "y", digits: [2, 4] }),
  list: list("x", { ...options, max: 2, maxChars: 3 }),
  reference: reference("x", { ...options, target: () => tags, keys: ["slug"], onDelete: "clear" }),
  many: many("x", { ...options, target: () => tags, keys: ["slug"], link: LINK, max: 2 }),
};

const TAKEN: readonly (readonly [field: string, given: unknown, kept: unknown])[] = [
  ["text", "", ""],
  ["text", " a b ", "a b"],
  ["text", "äöü🙂", "äöü🙂"],
  ["nullable", null, null],
  ["pattern", "", ""],
  ["pattern", "abc", "abc"],
  ["choice", "two", "two"],
  ["integer", 5, 5],
  ["integer", "-5", -5],
  ["integer", -0, -0],
  ["boolean", true, true],
  ["boolean", "false", false],
  ["datetime", "1970-01-01", 0],
  ["datetime", " 1970-01-01T00:00:01Z ", 1_000],
  ["hex", "0A:ff", "0A:ff"],
  ["list", [], []],
  ["list", [" a ", "b"], ["a", "b"]],
  ["reference", 7, 7],
  ["reference", "7", 7],
  ["reference", null, null],
  ["reference", { slug: "a", url: "ignored" }, { slug: "a", url: "ignored" }],
  ["many", [1, { slug: "a" }], [1, { slug: "a" }]],
];

const REFUSED: readonly (readonly [field: string, given: unknown, message: string])[] = [
  ["text", "123456", "Ensure this field has no more than 5 characters."],
  ["text", null, "This field may not be null."],
  ["text", 5, "Expected text, not 5."],
  ["text", ["a"], 'Expected text, not ["a"].'],
  ["text", "a\0", "Null characters are not allowed."],
  ["text", "\ud800", "Expected well-formed Unicode text."],
  ["required", "", "This field may not be blank."],
  ["required", " \t", "This field may not be blank."],
  ["pattern", "ABC", 'Expected small letters, not "ABC".'],
  ["choice", "three", 'Expected one of one, two, not "three".'],
  ["choice", "", 'Expected one of one, two, not "".'],
  ["integer", 6, "Expected a whole number from -5 to 5, not 6."],
  ["integer", 1.5, "Expected a whole number from -5 to 5, not 1.5."],
  ["integer", "1.0", 'Expected a whole number from -5 to 5, not "1.0".'],
  ["integer", "", 'Expected a whole number from -5 to 5, not "".'],
  ["integer", true, "Expected a whole number from -5 to 5, not true."],
  ["boolean", 1, "Expected true or false, not 1."],
  ["boolean", "True", 'Expected true or false, not "True".'],
  [
    "datetime",
    5,
    "Invalid date format: 5. Expected YYYY-MM-DD or an ISO 8601 datetime such as 2026-11-20T09:22:19Z.",
  ],
  ["hex", "a", 'Expected 2 to 4 hexadecimal digits, colons optional, not "a".'],
  ["hex", "12345", 'Expected 2 to 4 hexadecimal digits, colons optional, not "12345".'],
  ["hex", ":12", 'Expected 2 to 4 hexadecimal digits, colons optional, not ":12".'],
  ["list", ["a", "b", "c"], "Ensure this field has no more than 2 elements."],
  ["list", ["abcd"], "Ensure this field has no more than 3 characters."],
  ["list", ["ab", "cd"], "Ensure the texts of this field have no more than 3 characters together."],
  ["list", { 0: "a" }, 'Expected a list of texts, not {"0":"a"}.'],
  ["reference", 0, "Expected an id or an object with id or slug, not 0."],
  ["reference", -1, "Expected an id or an object with id or slug, not -1."],
  ["reference", 9_007_199_254_740_994, "Expected an id or an object with id or slug, not 9007199254740994."],
  ["reference", 1e308, "Expected an id or an object with id or slug, not 1e+308."],
  ["reference", "9".repeat(16), `Expected an id or an object with id or slug, not "${"9".repeat(16)}".`],
  ["reference", { slug: [] }, 'Expected an id or an object with id or slug, not {"slug":[]}.'],
  ["reference", {}, "Expected an id or an object with id or slug."],
  ["reference", "a", 'Expected an id or an object with id or slug, not "a".'],
  ["reference", [], "Expected an id or an object with id or slug, not []."],
  ["many", 5, "Expected a list, not 5."],
  ["many", [1, 2, 3], "Ensure this field has no more than 2 elements."],
];

for (const [name, given, kept] of TAKEN) {
  Deno.test(`${name} field: ${JSON.stringify(given)} is accepted`, () => {
    assert.deepEqual(FIELDS[name]?.input?.parse(given), kept);
  });
}
for (const [name, given, message] of REFUSED) {
  Deno.test(`${name} field: ${JSON.stringify(given)} is refused`, () => {
    const result = FIELDS[name]?.input?.safeParse(given);
    assert.deepEqual(result?.error?.issues.map(({ message }) => textOf(ofIssue({ message, path: [] }))), [
      message,
    ]);
  });
}

Deno.test("hexadecimal values are compared in one form, numbers without leading zeros", () => {
  for (
    const [given, plain, number] of [
      ["0A:1B", "0a1b", "a1b"],
      ["00", "00", "0"],
      ["0", "0", "0"],
      ["000a", "000a", "a"],
      ["FF:00", "ff00", "ff00"],
    ] as const
  ) {
    assert.equal(plainHex(given, { number: false }), plain);
    assert.equal(plainHex(given, { number: true }), number);
  }
});

Deno.test("a quoted value is short, on one line, without marks of direction, and never a private key", () => {
  assert.equal(quote("x".repeat(500)).length, 101);
  assert.equal(quote('a"b\n'), '"a\\"b\\n"');
  assert.equal(quote("a\u202eb\u2066c\u0085"), '"a\\u202eb\\u2066c\\u0085"');
  assert.equal(quote(undefined), "undefined");
  assert.equal(quote({ a: [1, null] }), '{"a":[1,null]}');
  assert.equal(quote(`-----BEGIN PRIVATE KEY-----\n${"A".repeat(64)}`), "a private key");
});
