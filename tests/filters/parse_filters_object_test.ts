import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { type Condition, EVERYTHING, NOTHING, parseFiltersObject } from "../../src/filters/mod.ts";
import { CERTIFICATES } from "./support.ts";

const ACTIVE: Condition = {
  kind: "compare",
  path: ["status"],
  operator: "exact",
  values: ["active"],
  negated: false,
};
const ACME: Condition = {
  kind: "compare",
  path: ["is_acme"],
  operator: "exact",
  values: [true],
  negated: false,
};
const BIG: Condition = {
  kind: "compare",
  path: ["key_size"],
  operator: "gt",
  values: [2048],
  negated: false,
};

const PARSED: readonly [string, unknown, Condition][] = [
  ["an absent object is unrestricted", null, EVERYTHING],
  ["an empty object is unrestricted", {}, EVERYTHING],
  ["names are those of the parameters", { status: "active" }, ACTIVE],
  ["values may have their own type", { is_acme: true }, ACME],
  ["values may be texts", { is_acme: "true" }, ACME],
  ["different names are AND", { status: "active", is_acme: true }, { kind: "and", terms: [ACTIVE, ACME] }],
  ["a distinguished name is compared in both orders", { issuer__ie: "CN=b,O=a" }, {
    kind: "compare",
    path: ["issuer"],
    operator: "iexact",
    values: ["CN=b,O=a", "CN=b, O=a", "O=a, CN=b"],
    negated: false,
  }],
  ["a distinguished name is searched in both orders", { q: "/O=a/CN=b" }, {
    kind: "or",
    terms: ["/O=a/CN=b", "O=a, CN=b", "CN=b, O=a"].map((text) => ({ kind: "search", text })),
  }],
  ["a name without a suffix means the same as the query parameter", { common_name: "x" }, {
    kind: "compare",
    path: ["common_name"],
    operator: "contains",
    values: ["x"],
    negated: false,
  }],
  ["a relation's name without a suffix is compared with its keys", { tenant: "acme" }, {
    kind: "compare",
    path: ["tenant"],
    operator: "exact",
    values: ["acme"],
    negated: false,
  }],
  ["a list is OR, also of tags", { tag: ["a", "b"] }, {
    kind: "compare",
    path: ["tag"],
    operator: "exact",
    values: ["a", "b"],
    negated: false,
  }],
  ["null matches missing values", { tenant_id: null }, {
    kind: "compare",
    path: ["tenant"],
    operator: "exact",
    values: [null],
    negated: false,
  }],
  ["AND accepts one object", { status: "active", AND: { is_acme: true } }, {
    kind: "and",
    terms: [ACTIVE, ACME],
  }],
  ["AND accepts a list", { AND: [{ status: "active" }, { is_acme: true }] }, {
    kind: "and",
    terms: [ACTIVE, ACME],
  }],
  ["OR adds alternatives to its siblings", { status: "active", OR: { is_acme: true } }, {
    kind: "or",
    terms: [ACTIVE, ACME],
  }],
  ["OR alone matches any of its objects", { OR: [{ status: "active" }, { is_acme: true }] }, {
    kind: "or",
    terms: [ACTIVE, ACME],
  }],
  ["an empty alternative matches everything", { status: "active", OR: {} }, EVERYTHING],
  ["NOT matches none of its objects", { NOT: [{ status: "active" }, { is_acme: true }] }, {
    kind: "and",
    terms: [{ kind: "not", term: ACTIVE }, { kind: "not", term: ACME }],
  }],
  [
    "AND, OR and NOT nest",
    { NOT: { status: "active", OR: { AND: { is_acme: true, key_size__gt: 2048 } } } },
    {
      kind: "not",
      term: { kind: "or", terms: [ACTIVE, { kind: "and", terms: [ACME, BIG] }] },
    },
  ],
  ["q searches", { q: "x" }, { kind: "search", text: "x" }],
];

for (const [title, json, expected] of PARSED) {
  Deno.test(`parseFiltersObject: ${title}`, () => {
    assert.deepEqual(parseFiltersObject(json, CERTIFICATES), { condition: expected, errors: [] });
  });
}

function nested(levels: number): unknown {
  let json: unknown = { status: "active" };
  for (let level = 0; level < levels; level++) json = { NOT: json };
  return json;
}

const REFUSED: readonly [string, unknown, Record<string, string[]>][] = [
  ["a value that is not an object", [], { __all__: ["Enter an object with filters."] }],
  ["a text under AND", { AND: "x" }, { __all__: ["Enter an object with filters."] }],
  ["null under NOT", { NOT: null }, { __all__: ["Enter an object with filters."] }],
  ["an unknown name deep inside", { NOT: { OR: { statuss: "x" } } }, {
    statuss: ["Unknown filter. Did you mean “status”?"],
  }],
  ["a search that is not a text", { q: { a: 1 } }, { q: ['Enter text, not “{"a":1}”.'] }],
  ["$user, which is only for constraints", { tenant_id: "$user" }, {
    tenant_id: ["Enter a whole number, not “$user”."],
  }],
  ["more levels than the budget", nested(11), { __all__: ["Nest at most 10 levels of filters."] }],
  ["100,000 levels", nested(100_000), { __all__: ["Nest at most 10 levels of filters."] }],
  ["more filters than the budget", { OR: Array.from({ length: 1_000 }, () => ({ status: "active" })) }, {
    __all__: ["Combine at most 100 comparisons."],
  }],
];

for (const [title, json, errors] of REFUSED) {
  Deno.test(`parseFiltersObject refuses ${title}`, () => {
    const parsed = parseFiltersObject(json, CERTIFICATES);
    assert.deepEqual([parsed.condition, textsByField(parsed.errors)], [NOTHING, errors]);
  });
}

Deno.test("parseFiltersObject accepts levels up to the limit", () => {
  assert.deepEqual(textsByField(parseFiltersObject(nested(10), CERTIFICATES).errors), {});
});
