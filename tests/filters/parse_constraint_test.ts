import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { type Condition, CURRENT_USER, EVERYTHING, NOTHING, parseConstraint } from "../../src/filters/mod.ts";
import { CERTIFICATES } from "./support.ts";

function compare(path: string, operator: string, values: unknown[], negated = false): Condition {
  return { kind: "compare", path: path.split("."), operator, values, negated } as Condition;
}

const PARSED: readonly [string, unknown, Condition][] = [
  ["null does not restrict", null, EVERYTHING],
  ["{} does not restrict", {}, EVERYTHING],
  ["[] does not restrict", [], EVERYTHING],
  ["a list with {} in it does not restrict", [{ status: "active" }, {}], EVERYTHING],
  [
    "a key without a suffix is equality, whatever the query parameter of this name means",
    { common_name: "a" },
    compare(
      "common_name",
      "exact",
      ["a"],
    ),
  ],
  [
    "a distinguished name is compared as it is, because another order is another name",
    { issuer: "CN=b, O=a" },
    compare("issuer", "exact", ["CN=b, O=a"]),
  ],
  ["a dictionary is AND", { status: "active", is_acme: true }, {
    kind: "and",
    terms: [compare("status", "exact", ["active"]), compare("is_acme", "exact", [true])],
  }],
  ["a list is OR", [{ status: "active" }, { key_size: 2048 }], {
    kind: "or",
    terms: [compare("status", "exact", ["active"]), compare("key_size", "exact", [2048])],
  }],
  [
    "a path crosses relations",
    { tenant__owner__username: "x" },
    compare("tenant.owner.username", "exact", ["x"]),
  ],
  [
    "__in accepts a list",
    { status__in: ["active", "expired"] },
    compare("status", "exact", ["active", "expired"]),
  ],
  ["an empty __in is kept and matches nothing", { id__in: [] }, compare("id", "exact", [])],
  ["a relation is compared with ids", { tenant: 5 }, compare("tenant", "exact", [5])],
  ["a relation's _id is the same", { tenant_id: 5 }, compare("tenant", "exact", [5])],
  ["ids may be texts of digits", { tenant__in: ["5", 6] }, compare("tenant", "exact", [5, 6])],
  ["a many-relation may have its plural name", { tags__name: "x" }, compare("tag.name", "exact", ["x"])],
  ["a many-relation's list is OR", { tags__in: [1, 2] }, compare("tag", "exact", [1, 2])],
  ["null matches missing values", { tenant: null }, compare("tenant", "exact", [null])],
  ["isnull accepts a boolean", { tenant__isnull: true }, compare("tenant", "isnull", [true])],
  ["the text null is a text", { acme_provider: "null" }, compare("acme_provider", "exact", ["null"])],
  [
    "$user is the acting user's id",
    { tenant__owner: "$user" },
    compare("tenant.owner", "exact", [CURRENT_USER]),
  ],
  [
    "$user may be in a list",
    { tenant__owner__in: ["$user", 3] },
    compare("tenant.owner", "exact", [
      CURRENT_USER,
      3,
    ]),
  ],
  [
    "$user compares with an id field",
    { tenant__owner__id: "$user" },
    compare("tenant.owner.id", "exact", [
      CURRENT_USER,
    ]),
  ],
  ["__n negates", { status__n: "active" }, compare("status", "exact", ["active"], true)],
  [
    "dates are read as parameters are",
    { valid_to__lt: "1970-01-02" },
    compare("valid_to", "lt", [86_400_000]),
  ],
  ["hex is read as parameters are", { serial_number: "0A:1B" }, compare("serial_number", "exact", ["a1b"])],
  [
    "Django's endswith is a suffix",
    { common_name__endswith: ".de" },
    compare("common_name", "endswith", [".de"]),
  ],
  ["a computed field is a condition", { expired: false }, compare("expired", "exact", [false])],
];

for (const [title, json, expected] of PARSED) {
  Deno.test(`parseConstraint: ${title}`, () => {
    assert.deepEqual(parseConstraint(json, CERTIFICATES), { condition: expected, errors: [] });
  });
}

const WHOLE = { __all__: ["Enter an object with filters, or a list of such objects."] };
const REFUSED: readonly [string, unknown, Record<string, string[]>][] = [
  ["a number", 5, WHOLE],
  ["a text", "status", WHOLE],
  ["a list in a list", [[{ status: "active" }]], WHOLE],
  ["a list with null", [null], WHOLE],
  ["an unknown key, with a suggestion", { tenant__nme: "x" }, {
    tenant__nme: ["Unknown filter. Did you mean “tenant__name”?"],
  }],
  ["an unknown key in an alternative", [{ status: "active" }, { colour: 1 }], {
    colour: ["Unknown filter."],
  }],
  ["a search", { q: "x" }, { q: ["Unknown filter."] }],
  ["a slug where an id is expected", { tenant: "acme" }, { tenant: ["Enter a whole number, not “acme”."] }],
  ["an object as a value", { status: { a: 1 } }, { status: ['Enter text, not “{"a":1}”.'] }],
  ["a number as a text", { common_name: 5 }, { common_name: ["Enter text, not “5”."] }],
  ["a fraction as an id", { tenant: 1.5 }, { tenant: ["Enter a whole number, not “1.5”."] }],
  ["a number beyond 2^53", { id: 2 ** 53 }, { id: ["Enter a whole number, not “9007199254740992”."] }],
  ["a boolean as a number", { key_size: true }, { key_size: ["Enter a whole number, not “true”."] }],
  ["null on a field that is never null", { status: null }, { status: ["Enter text, not “null”."] }],
  ["$user in place of a value that is not an id", { status: "$user" }, {
    status: [
      "“$user” stands for the user's id. Use it only as the value of an id filter without an operator.",
    ],
  }],
  ["$user in an inequality", { id__gt: "$user" }, {
    id__gt: [
      "“$user” stands for the user's id. Use it only as the value of an id filter without an operator.",
    ],
  }],
  ["a list in a list of values", { id__in: [[1]] }, { id__in: ["Enter a whole number, not “[1]”."] }],
  ["too many filters", Array.from({ length: 101 }, () => ({ status: "active" })), {
    __all__: ["Combine at most 100 comparisons, not 101."],
  }],
  ["too many empty alternatives", Array.from({ length: 101 }, () => ({})), {
    __all__: ["Combine at most 100 comparisons, not 101."],
  }],
];

for (const [title, json, errors] of REFUSED) {
  Deno.test(`parseConstraint refuses ${title}`, () => {
    const parsed = parseConstraint(json, CERTIFICATES);
    assert.deepEqual([parsed.condition, textsByField(parsed.errors)], [NOTHING, errors]);
  });
}
