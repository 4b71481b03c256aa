import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { type Comparison, type Condition, EVERYTHING, parseQuery } from "../../src/filters/mod.ts";
import { MAX_FILTER_TERMS, MAX_FILTER_VALUES } from "../../src/filters/limits.ts";
import { CERTIFICATES, query, queryErrors, TAGS } from "./support.ts";

/** Returns a comparison as `path operator values`, with `not` before it, for the table. */
function show(condition: Condition): string {
  switch (condition.kind) {
    case "compare":
      return `${condition.negated ? "not " : ""}${condition.path.join(".")} ${condition.operator} ${
        JSON.stringify(condition.values)
      }`;
    case "search":
      return `search ${condition.text}`;
    case "not":
      return `not(${show(condition.term)})`;
    default:
      return `${condition.kind}(${condition.terms.map(show).join("; ")})`;
  }
}

const DAY = Date.UTC(2026, 10, 20);

const PARSED: readonly [string, string][] = [
  // Names without a suffix compare as their field defines.
  ["common_name=a", 'common_name contains ["a"]'],
  ["issuer=a", 'issuer icontains ["a"]'],
  ["status=active", 'status exact ["active"]'],
  ["san=a", 'san icontains ["a"]'],
  ["serial_number=0A:1b", 'serial_number exact ["a1b"]'],
  ["serial_number=00", 'serial_number exact ["0"]'],
  ["fingerprint=0A:1b", 'fingerprint exact ["0a1b"]'],
  ["key_size=2048", "key_size exact [2048]"],
  ["key_size=-2", "key_size exact [-2]"],
  ["key_size=-0", "key_size exact [0]"],
  ["is_acme=true", "is_acme exact [true]"],
  ["is_acme=False", "is_acme exact [false]"],
  ["is_acme=1", "is_acme exact [true]"],
  ["expired=true", "expired exact [true]"],
  ["health=bad", 'health exact ["bad"]'],
  ["valid_to=2026-11-20", `valid_to exact [${DAY}]`],
  ["valid_to=2026-11-20T01:00:00%2B01:00", `valid_to exact [${DAY}]`],
  // NetBox's suffixes.
  ["common_name__n=a", 'not common_name exact ["a"]'],
  ["common_name__ic=a", 'common_name icontains ["a"]'],
  ["common_name__nic=a", 'not common_name icontains ["a"]'],
  ["common_name__isw=a", 'common_name istartswith ["a"]'],
  ["common_name__nisw=a", 'not common_name istartswith ["a"]'],
  ["common_name__iew=a", 'common_name iendswith ["a"]'],
  ["common_name__niew=a", 'not common_name iendswith ["a"]'],
  ["common_name__ie=a", 'common_name iexact ["a"]'],
  ["common_name__nie=a", 'not common_name iexact ["a"]'],
  ["common_name__empty=true", "common_name empty [true]"],
  ["common_name__regex=a.c", 'common_name regex ["a.c"]'],
  ["common_name__iregex=a.c", 'common_name iregex ["a.c"]'],
  ["status__ic=act", 'status icontains ["act"]'],
  ["status__n=active", 'not status exact ["active"]'],
  ["key_size__lt=1", "key_size lt [1]"],
  ["key_size__lte=1", "key_size lte [1]"],
  ["key_size__gt=1", "key_size gt [1]"],
  ["key_size__gte=1", "key_size gte [1]"],
  ["key_size__n=1", "not key_size exact [1]"],
  ["key_size__empty=false", "key_size empty [false]"],
  ["valid_to__lt=2026-11-20", `valid_to lt [${DAY}]`],
  // Django's lookups.
  ["common_name__exact=a", 'common_name exact ["a"]'],
  ["common_name__iexact=a", 'common_name iexact ["a"]'],
  ["common_name__contains=a", 'common_name contains ["a"]'],
  ["common_name__icontains=a", 'common_name icontains ["a"]'],
  ["common_name__startswith=a", 'common_name startswith ["a"]'],
  ["common_name__istartswith=a", 'common_name istartswith ["a"]'],
  ["common_name__endswith=a", 'common_name endswith ["a"]'],
  ["common_name__iendswith=a", 'common_name iendswith ["a"]'],
  ["status__in=active&status__in=expired", 'status exact ["active","expired"]'],
  ["tenant__isnull=true", "tenant isnull [true]"],
  // Hex digits are compared ignoring case by the plain operators.
  ["serial_number__ic=0A:b", 'serial_number contains ["0ab"]'],
  ["serial_number__isw=0A:b", 'serial_number startswith ["ab"]'],
  ["fingerprint__ie=AB", 'fingerprint exact ["ab"]'],
  ["fingerprint__niew=AB", 'not fingerprint endswith ["ab"]'],
  // References: ids are numbers, keys are texts.
  ["tenant_id=5", "tenant exact [5]"],
  ["tenant_id__n=5", "not tenant exact [5]"],
  ["tenant_id__in=5&tenant_id__in=6", "tenant exact [5,6]"],
  ["tenant=5", 'tenant exact ["5"]'],
  ["tenant__n=acme", 'not tenant exact ["acme"]'],
  ["tenant__name=a", 'tenant.name exact ["a"]'],
  ["tenant__slug__ic=a", 'tenant.slug icontains ["a"]'],
  ["tenant__slug__n=a", 'not tenant.slug exact ["a"]'],
  ["tenant__owner_id=1", "tenant.owner exact [1]"],
  ["tenant__owner__username__iew=x", 'tenant.owner.username iendswith ["x"]'],
  ["replaced_by__tenant__owner__username=x", 'replaced_by.tenant.owner.username exact ["x"]'],
  // A repeated parameter is OR, different ones are AND, tags are AND.
  ["status=active&status=expired", 'status exact ["active","expired"]'],
  ["status=active&status=active", 'status exact ["active"]'],
  ["status__n=active&status__n=expired", 'not status exact ["active","expired"]'],
  ["status=active&key_size=1", 'and(status exact ["active"]; key_size exact [1])'],
  ["status=active&key_size=1&status=expired", 'and(status exact ["active","expired"]; key_size exact [1])'],
  ["tag=a", 'tag exact ["a"]'],
  ["tag=a&tag=b", 'and(tag exact ["a"]; tag exact ["b"])'],
  ["tags=a&tags=b", 'and(tag exact ["a"]; tag exact ["b"])'],
  ["tag_id=1&tag_id=2", "and(tag exact [1]; tag exact [2])"],
  ["tag__n=a&tag__n=b", 'not tag exact ["a","b"]'],
  ["tag__in=a&tag__in=b", 'tag exact ["a","b"]'],
  ["tag__name__ic=a&tag__name__ic=b", 'tag.name icontains ["a","b"]'],
  // Null on nullable fields only.
  ["key_size=null", "key_size exact [null]"],
  ["key_size=null&key_size=1", "key_size exact [null,1]"],
  ["key_size__n=null", "not key_size exact [null]"],
  ["tenant=null", "tenant exact [null]"],
  ["tenant_id=null", "tenant exact [null]"],
  ["acme_provider=null", "acme_provider exact [null]"],
  ["acme_provider__ic=null", 'acme_provider icontains ["null"]'],
  ["issuer=null", 'issuer icontains ["null"]'],
  ["tag=null", 'tag exact ["null"]'],
  // Search.
  ["q=abc", "search abc"],
  ["q=+abc+", "search abc"],
  ["q=a&q=b", "or(search a; search b)"],
  ["q=a&status=active", 'and(search a; status exact ["active"])'],
  // Commas are part of a value; an empty text can be equal.
  ["issuer=C%3DUS,+O%3DX", 'issuer icontains ["C=US, O=X","O=X, C=US"]'],
  ["acme_provider=", 'acme_provider exact [""]'],
  ["limit=5", "and()"],
  ["", "and()"],
];

for (const [text, expected] of PARSED) {
  Deno.test(`parseQuery reads ${text || "no parameters"} as ${expected}`, () => {
    assert.equal(show(query(text)), expected);
  });
}

const REFUSED: readonly [string, Record<string, string[]>][] = [
  ["colour=red", { colour: ["Unknown filter."] }],
  ["statuss=x", { statuss: ["Unknown filter. Did you mean “status”?"] }],
  ["valid_to__it=x", { valid_to__it: ["Unknown filter. Did you mean “valid_to__lt”?"] }],
  ["tenant__nam=x", { tenant__nam: ["Unknown filter. Did you mean “tenant__name”?"] }],
  ["limt=5", { limt: ["Unknown filter. Did you mean “limit”?"] }],
  ["status__lt=active", { status__lt: ["Unknown filter. Did you mean “status__n”?"] }],
  ["tenant__lt=1", { tenant__lt: ["Unknown filter. Did you mean “tenant__n”?"] }],
  ["expired__n=true", { expired__n: ["Unknown filter. Did you mean “expired”?"] }],
  ["status=on", { status: ["Select a valid choice (“active”, “expired”, “revoked”), not “on”."] }],
  ["health=x", { health: ["Select a valid choice (“good”, “bad”), not “x”."] }],
  ["status=null", { status: ["Select a valid choice (“active”, “expired”, “revoked”), not “null”."] }],
  ["key_size=big", { key_size: ["Enter a whole number, not “big”."] }],
  ["key_size=1.5", { key_size: ["Enter a whole number, not “1.5”."] }],
  ["key_size=", { key_size: ["Enter a whole number, not “”."] }],
  ["key_size__lt=null", { key_size__lt: ["Enter a whole number, not “null”."] }],
  ["id=null", { id: ["Enter a whole number, not “null”."] }],
  ["tenant_id=acme", { tenant_id: ["Enter a whole number, not “acme”."] }],
  ["id=9007199254740993", { id: ["Enter a whole number, not “9007199254740993”."] }],
  ["is_acme=maybe", { is_acme: ["Enter true or false, not “maybe”."] }],
  ["key_size__empty=x", { key_size__empty: ["Enter true or false, not “x”."] }],
  ["serial_number=-0a1b", {
    serial_number: ["Enter hexadecimal digits, with or without colons, not “-0a1b”."],
  }],
  ["serial_number=::", { serial_number: ["Enter hexadecimal digits, with or without colons, not “::”."] }],
  ["valid_to=2026-02-30", {
    valid_to: [
      "Invalid date format: “2026-02-30” is not a date of the calendar. Expected YYYY-MM-DD or an ISO 8601 datetime such as 2026-11-20T09:22:19Z.",
    ],
  }],
  ["common_name=", { common_name: ["Enter some text."] }],
  ["common_name__ic=", { common_name__ic: ["Enter some text."] }],
  ["q=+", { q: ["Enter some text."] }],
  ["common_name__regex=(", {
    common_name__regex: ["Enter a valid regular expression: “missing closing ): `(`”."],
  }],
  ["common_name__regex=a(?=b)", {
    common_name__regex: ["Enter a valid regular expression: “invalid or unsupported Perl syntax: `(?=`”."],
  }],
  // Every invalid value of every invalid parameter, once.
  ["id=a&id=b&id=1&id=a&colour=x&status=active", {
    id: ["Enter a whole number, not “a”.", "Enter a whole number, not “b”."],
    colour: ["Unknown filter."],
  }],
];

for (const [text, expected] of REFUSED) {
  Deno.test(`parseQuery refuses ${text}`, () => {
    const { condition, errors } = parseQuery(new URLSearchParams(text), CERTIFICATES, {
      reserved: new Set(["limit"]),
    });
    assert.deepEqual(textsByField(errors), expected);
    assert.deepEqual(condition, { kind: "or", terms: [] }, "a refused query matches nothing");
  });
}

Deno.test("parseQuery accepts q only for resources with a search", () => {
  assert.deepEqual(textsByField(parseQuery([["q", "x"]], TAGS, { reserved: new Set() }).errors), {
    q: ["Unknown filter."],
  });
});

Deno.test("parseQuery follows at most three relations", () => {
  assert.deepEqual(Object.keys(queryErrors("replaced_by__replaced_by__tenant__owner_id=1")), []);
  assert.deepEqual(
    Object.keys(queryErrors("replaced_by__replaced_by__replaced_by__replaced_by__status=active")),
    ["replaced_by__replaced_by__replaced_by__replaced_by__status"],
  );
  assert.deepEqual(
    Object.keys(queryErrors("replaced_by__replaced_by__tenant__owner__username=x")),
    ["replaced_by__replaced_by__tenant__owner__username"],
  );
});

Deno.test("parseQuery accepts values and filters up to their limits, and no more", () => {
  const values = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, i) => ["id", String(i)]);
  const condition = parseQuery(values(MAX_FILTER_VALUES), CERTIFICATES, { reserved: new Set() })
    .condition as Comparison;
  assert.equal(condition.values.length, MAX_FILTER_VALUES);
  assert.deepEqual(queryErrors(values(MAX_FILTER_VALUES + 1)), {
    id: ["Use at most 1000 values, not 1001."],
  });
  const names = Array.from({ length: MAX_FILTER_TERMS + 1 }, (_, i): [string, string] => [`f${i}`, "1"]);
  assert.deepEqual(queryErrors(names), { __all__: ["Combine at most 100 comparisons, not 101."] });
  assert.equal(Object.keys(queryErrors(names.slice(1))).length, MAX_FILTER_TERMS);
});

Deno.test("parseQuery counts each text that is searched for, not each that is compared", () => {
  const repeated = (name: string, count: number): [string, string][] =>
    Array.from({ length: count }, (_, i) => [name, `t${i}`]);
  const refused = { __all__: ["Combine at most 100 comparisons, not 101."] };
  assert.deepEqual(queryErrors(repeated("issuer", 101)), refused);
  assert.deepEqual(queryErrors([...repeated("issuer", 60), ...repeated("san__iew", 41)]), refused);
  assert.deepEqual(queryErrors(repeated("q", 101)), refused);
  assert.deepEqual(queryErrors(repeated("issuer__exact", 101)), {});
});

Deno.test("parseQuery counts each tag as a comparison", () => {
  const tags = Array.from({ length: MAX_FILTER_TERMS + 1 }, (_, i): [string, string] => ["tag", `t${i}`]);
  assert.deepEqual(queryErrors(tags), { __all__: ["Combine at most 100 comparisons, not 101."] });
  assert.deepEqual(queryErrors(tags.slice(1)), {});
});

Deno.test("parseQuery without filters is unrestricted", () => {
  assert.deepEqual(query(""), EVERYTHING);
});
