/** Input that tries to break the filter language is refused with a message, or taken literally. */

import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import {
  compileCondition,
  parseConstraint,
  parseFiltersObject,
  parseOrdering,
  parseQuery,
} from "../../src/filters/mod.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { CERTIFICATES, compiled, CONTEXT, query, queryErrors } from "./support.ts";

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "__defineGetter__",
  "tenant____proto__",
  "tenant__constructor",
  "tenant__constructor__name",
  "constructor__name",
  "status__toString",
  "__",
  "____",
  "_id",
  "__n",
  "status__",
  "status__n__n",
  "status__n__ic",
  "tenant_id__name",
  "tag_id__slug",
  "status_id",
  "common_name__valueOf",
  "id; DROP TABLE certificates",
  'status" OR 1=1 --',
  "c.status",
  "STATUS",
  " status",
  "status\0",
  "\u202estatus",
  "",
];

for (const name of NAMES) {
  Deno.test(`${JSON.stringify(name)} is not a filter in any grammar`, () => {
    for (
      const errors of [
        textsByField(parseQuery([[name, "1"]], CERTIFICATES, { reserved: new Set() }).errors),
        textsByField(parseConstraint(JSON.parse(`{${JSON.stringify(name)}: 1}`), CERTIFICATES).errors),
        textsByField(parseFiltersObject(JSON.parse(`{${JSON.stringify(name)}: 1}`), CERTIFICATES).errors),
      ]
    ) {
      assert.deepEqual(Object.keys(errors), [name]);
      assert.match(String(Object.values(errors)[0]), /^Unknown filter\./);
      assert.equal(Object.getPrototypeOf(errors), Object.prototype);
      assert.ok(JSON.stringify(errors).includes(JSON.stringify(name)), "and survives as JSON");
    }
  });
}

Deno.test("no hostile name reaches a prototype", () => {
  parseQuery([["__proto__", "x"], ["constructor", "y"]], CERTIFICATES, { reserved: new Set() });
  parseConstraint(JSON.parse('{"__proto__": {"status": "active"}}'), CERTIFICATES);
  assert.equal(({} as Record<string, unknown>).status, undefined);
});

const TEXTS = [
  "' OR 1=1 --",
  '" OR ""="',
  "'; DROP TABLE certificates; --",
  "%",
  "_",
  "\\",
  "\\%",
  "*",
  "[",
  "[^a]*",
  "?1",
  ":name",
  "$user",
  "$1",
  '"',
  '"" OR common_name : x',
  "NEAR(a b, 2)",
  "a* OR b",
  "-a",
  "^a",
  "common_name : a",
  "{common_name} : a",
  "\u202e\u2066evil\u2069",
  "a\r\nb",
  "😀😀😀",
  "\ufeffabc",
  "__proto__",
  "null ",
];

for (const text of TEXTS) {
  Deno.test(`the text ${JSON.stringify(text)} is bound unchanged and is not part of a statement`, () => {
    const ordinary = query("common_name__exact=abc&issuer__ic=abc&tenant=abc&tag=abc");
    const params = ["common_name__exact", "issuer__ic", "tenant", "tag"].map((
      name,
    ): [string, string] => [name, text]);
    const { condition, errors } = parseQuery(params, CERTIFICATES, { reserved: new Set() });
    assert.deepEqual(errors, []);
    const { sql, params: bound } = compiled(condition);
    assert.equal(sql, compiled(ordinary).sql);
    assert.equal(bound[0], text);
  });
}

Deno.test("null characters and broken Unicode are refused", () => {
  assert.deepEqual(queryErrors([["common_name", "a\0b"]]), {
    common_name: ["Null characters are not allowed."],
  });
  assert.deepEqual(queryErrors([["q", "\0"]]), { q: ["Null characters are not allowed."] });
  const broken = { common_name: "a\ud800b" };
  const expected = { common_name: ["Enter well-formed Unicode text."] };
  assert.deepEqual(textsByField(parseConstraint(broken, CERTIFICATES).errors), expected);
  assert.deepEqual(textsByField(parseFiltersObject(broken, CERTIFICATES).errors), expected);
});

Deno.test("messages quote shortened values without characters that hide or reorder text", () => {
  assert.deepEqual(queryErrors([["id", "\u202e1\u0000\u2066\n"]]), {
    id: ["Null characters are not allowed."],
  });
  assert.deepEqual(queryErrors([["id", "\u202e1\u2066\n\x1b[31m"]]), {
    id: ["Enter a whole number, not “�1���[31m”."],
  });
  const [message] = queryErrors([["id", "9".repeat(1_999)]]).id!;
  assert.equal(message!.length, "Enter a whole number, not “”.".length + 101);
  assert.deepEqual(queryErrors([["status", "x".repeat(10_000)]]), {
    status: ["Enter at most 2000 characters, not 10000."],
  });
});

const NUMBERS = [
  "9007199254740992",
  "-9007199254740992",
  "99999999999999999999",
  "1e3",
  "0x10",
  "1_000",
  "١٢",
  "1 ",
  " 1",
  "+",
  "-",
  "--1",
  "NaN",
  "Infinity",
  "1n",
  "0b1",
];

for (const text of NUMBERS) {
  Deno.test(`${JSON.stringify(text)} is not a whole number`, () => {
    assert.deepEqual(queryErrors([["id", text]]), { id: [`Enter a whole number, not “${text}”.`] });
  });
}

Deno.test("the largest exact integers are accepted", () => {
  assert.deepEqual(compiled(query("id=9007199254740991&id=-9007199254740991")).params, [
    "[9007199254740991,-9007199254740991]",
  ]);
});

Deno.test("a thousand different parameters are refused at once", () => {
  const params = Array.from({ length: 1_000 }, (_, index): [string, string] => [`commn_name${index}`, "x"]);
  const before = cpuMillis();
  assert.deepEqual(queryErrors(params), { __all__: ["Combine at most 100 comparisons, not 1000."] });
  assert.ok(cpuMillis() - before < 5_000);
});

Deno.test("of a hundred mistyped parameters only the first ones get a suggestion, which limits the cost", () => {
  const params = Array.from({ length: 100 }, (_, index): [string, string] => [`issuer__i${index}`, "x"]);
  const before = cpuMillis();
  const messages = Object.values(queryErrors(params)).flat();
  assert.ok(cpuMillis() - before < 5_000);
  assert.equal(messages.filter((message) => message.includes("Did you mean")).length, 10);
});

Deno.test("names of any length and any number of parts are refused quickly", () => {
  const before = cpuMillis();
  for (
    const name of [
      "a".repeat(16_000),
      "tenant__".repeat(2_000),
      "_".repeat(16_000),
      "tenant__a".repeat(1_500),
    ]
  ) {
    assert.deepEqual(queryErrors([[name, "x"]]), { [name]: ["Unknown filter."] });
    assert.equal(Object.keys(textsByField(parseOrdering(name, CERTIFICATES).errors)).length, 1);
  }
  assert.ok(cpuMillis() - before < 5_000);
});

function nest(levels: number, wrap: (inner: string) => string): unknown {
  let text = '{"status":"active"}';
  for (let level = 0; level < levels; level++) text = wrap(text);
  return JSON.parse(text);
}

Deno.test("nested constraints are refused without recursion", () => {
  const expected = { __all__: ["Enter an object with filters, or a list of such objects."] };
  assert.deepEqual(
    textsByField(parseConstraint(nest(500, (inner) => `[${inner}]`), CERTIFICATES).errors),
    expected,
  );
  const [message] = textsByField(
    parseConstraint(nest(500, (inner) => `{"status":${inner}}`), CERTIFICATES).errors,
  ).status!;
  assert.match(message!, /^Enter text, not “\{"status":\{.*…”\.$/);
});

Deno.test("a constraint of a million keys or alternatives is refused at once", () => {
  const before = cpuMillis();
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
  assert.deepEqual(Object.keys(textsByField(parseConstraint(keys, CERTIFICATES).errors)), ["__all__"]);
  const alternatives = Array.from({ length: 1_000_000 }, () => ({}));
  assert.deepEqual(Object.keys(textsByField(parseConstraint(alternatives, CERTIFICATES).errors)), [
    "__all__",
  ]);
  assert.ok(cpuMillis() - before < 10_000);
});

Deno.test("wide and deep filter objects are refused at once", () => {
  const before = cpuMillis();
  let wide: unknown = { status: "active" };
  for (let level = 0; level < 6; level++) wide = { OR: Array.from({ length: 1_000 }, () => wide) };
  assert.deepEqual(Object.keys(textsByField(parseFiltersObject(wide, CERTIFICATES).errors)), ["__all__"]);
  assert.ok(cpuMillis() - before < 10_000);
});

Deno.test("as many comparisons as the budget allows compile, however they are nested", () => {
  let json: Record<string, unknown> = { status: "active", id: 1 };
  for (let level = 0; level < 10; level++) {
    json = { NOT: json, OR: { key_size: level, tenant__name__ic: "x" } };
  }
  const { condition, errors } = parseFiltersObject(json, CERTIFICATES);
  assert.deepEqual(errors, []);
  compileCondition(condition, CERTIFICATES, CONTEXT);
});

const JSON_VALUES: readonly unknown[] = [
  {},
  [[]],
  { length: 1 },
  true,
  1.5,
  -1e400,
  [null],
  [{ a: [] }],
  undefined,
];

for (const value of JSON_VALUES) {
  Deno.test(`the JSON value ${JSON.stringify(value) ?? "undefined"} is not a text`, () => {
    for (const parse of [parseConstraint, parseFiltersObject]) {
      const { errors } = parse({ common_name: value }, CERTIFICATES);
      assert.match(String(textsByField(errors).common_name), /^Enter text, not “/);
    }
  });
}
