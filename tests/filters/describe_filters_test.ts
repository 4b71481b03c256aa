import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type FilterName, filterNames, parseQuery } from "../../src/filters/mod.ts";
import { CERTIFICATES, compiled, query, TAGS } from "./support.ts";

const VALUES: Readonly<Record<FilterName["type"], string>> = {
  string: "abc",
  integer: "1",
  boolean: "true",
  datetime: "2026-01-01",
  choice: "",
  hex: "ab",
  regex: "a.c",
};

Deno.test("filterNames names every parameter that parseQuery takes, and its type", () => {
  let count = 0;
  for (const { name, type, choices } of filterNames(CERTIFICATES, { depth: 2, long: true })) {
    const value = choices?.[0] ?? VALUES[type];
    const { errors, condition } = parseQuery([[name, value]], CERTIFICATES, { reserved: new Set() });
    assert.deepEqual(errors, [], `${name}=${value}`);
    if (type !== "regex") compiled(condition);
    count++;
  }
  assert.ok(count > 1_000, `${count} names`);
});

Deno.test("filterNames returns each name once", () => {
  const names = [...filterNames(CERTIFICATES, { depth: 1, long: true })].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

Deno.test("filterNames lists NetBox's names of one resource by default", () => {
  assert.deepEqual([...filterNames(TAGS)].map(({ name }) => name), [
    "id",
    ...["n", "lt", "lte", "gt", "gte", "empty"].map((suffix) => `id__${suffix}`),
    ...["name", "slug"].flatMap((name) => [
      name,
      ...["n", "ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie", "empty", "regex", "iregex"].map((
        suffix,
      ) => `${name}__${suffix}`),
    ]),
  ]);
});

const DESCRIBED: readonly FilterName[] = [
  { name: "q", type: "string", repeatable: true, description: "Text to search for" },
  { name: "common_name", type: "string", repeatable: true, description: "common_name contains the value" },
  {
    name: "common_name__nic",
    type: "string",
    repeatable: true,
    description: "common_name does not contain the value, ignoring case",
  },
  {
    name: "status",
    type: "choice",
    choices: ["active", "expired", "revoked"],
    repeatable: true,
    description: "status equals the value",
  },
  {
    name: "status__ic",
    type: "string",
    repeatable: true,
    description: "status contains the value, ignoring case",
  },
  { name: "tenant_id", type: "integer", repeatable: true, description: "id of tenant equals the value" },
  {
    name: "tenant",
    type: "string",
    repeatable: true,
    description: "slug or name of tenant equals the value",
  },
  {
    name: "valid_to__lt",
    type: "datetime",
    repeatable: true,
    description: "valid_to is less than the value",
  },
  { name: "expired", type: "boolean", repeatable: true, description: "expired equals the value" },
];

Deno.test("filterNames describes", () => {
  const byName = new Map([...filterNames(CERTIFICATES)].map((filter) => [filter.name, filter]));
  for (const expected of DESCRIBED) assert.deepEqual(byName.get(expected.name), expected);
});

Deno.test("a filter with a description is described by it instead of its name", () => {
  const { search: _, ...rest } = TAGS;
  const [filter] = filterNames({
    ...rest,
    fields: {
      stale: {
        kind: "predicate",
        type: "boolean",
        description: "Was not seen for a week",
        condition: () => sql`1`,
      },
    },
  });
  assert.deepEqual(filter, {
    name: "stale",
    type: "boolean",
    repeatable: true,
    description: "Was not seen for a week",
  });
});

Deno.test("every name that is offered as a suggestion is one that parses", () => {
  const { errors } = parseQuery([["tenant__slugg", "x"], ["isuer__ic", "x"]], CERTIFICATES, {
    reserved: new Set(),
  });
  const names = errors.map(({ params }) => String(params.suggestion));
  assert.deepEqual(names, ["tenant__slug", "issuer__ic"]);
  for (const name of names) query(`${name}=x`);
});
