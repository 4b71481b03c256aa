/** Queries that exceed a limit are refused quickly, without a statement. */

import assert from "node:assert/strict";
import { getIntrospectionQuery } from "graphql";
import { MAX_GRAPHQL_ERRORS } from "../../src/graphql/limits.ts";
import { refreshCustomFields } from "../../src/resource/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { ask, codes, data } from "./support.ts";
import { stranger } from "../support/actors.ts";
import { cpuMillis } from "../support/cpu_time.ts";

function nested(levels: number, [open, close]: readonly [string, string]): string {
  return open.repeat(levels) + "id" + close.repeat(levels);
}

const TURN = ["assignments { certificate { ", " } }"] as const;
/** Fragments and fields that validation compares pairwise. */
const PAIRS = `{ certificate_list { ${Array.from({ length: 95 }, (_, n) => `...f${n}`).join(" ")} } } ${
  Array.from({ length: 95 }, (_, n) => `fragment f${n} on CertificateType { id }`).join(" ")
} fragment g on CertificateType { x }`;
const SAME = `{ certificate_list { ${"tenant { id } ".repeat(230)} x } }`;
/** Each fragment uses the next one three times, so that a small text selects millions of values. */
const DOUBLING = Array.from(
  { length: 3 },
  (_, index) =>
    `fragment f${index} on CertificateType { replaced_by { ...f${
      index + 1
    } } issuing_ca { certificates { ...f${index + 1} } } tenant { certificates { ...f${index + 1} } } }`,
).join(" ") + " fragment f3 on CertificateType { id }";

const HOSTILE: readonly (readonly [name: string, query: string, code: string])[] = [
  ["deep in fields", `{ certificate_list { ${nested(6, TURN)} } }`, "QUERY_TOO_DEEP"],
  [
    "deep by fragments",
    `{ certificate_list { ...a } } fragment a on CertificateType { replaced_by { replaced_by { replaced_by { ...b } } } }
     fragment b on CertificateType { replaced_by { replaced_by { replaced_by { replaced_by { replaced_by { replaced_by { id }
     } } } } } }`,
    "QUERY_TOO_DEEP",
  ],
  ["deep in braces", "{".repeat(8_000), "QUERY_TOO_DEEP"],
  ["deep in lists", `{ certificate_list(filters: {id: ${"[".repeat(8_000)}`, "QUERY_TOO_DEEP"],
  [
    "deep in filters",
    `{ certificate_list(filters: ${"{NOT: ".repeat(60)}{}${"}".repeat(60)}) { id } }`,
    "QUERY_TOO_DEEP",
  ],
  [
    "aliased",
    `{ ${Array.from({ length: 16 }, (_, n) => `a${n}: tag_list { id }`).join(" ")} }`,
    "QUERY_TOO_LARGE",
  ],
  [
    "cyclic",
    "{ certificate_list { ...a } } fragment a on CertificateType { ...b } fragment b on CertificateType { ...a }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  [
    "cyclic through fields",
    "{ tag_list { ...a } } fragment a on CertificateType { replaced_by { ...a } }",
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["giant", `{ certificate_list { id } } #${"x".repeat(16 * 1024)}`, "QUERY_TOO_LARGE"],
  ["of many words", `{ certificate_list { ${"id ".repeat(1_500)} } }`, "QUERY_TOO_LARGE"],
  [
    "of many words within the limit, all alike",
    `{ certificate_list { ${"idd ".repeat(950)} } }`,
    "GRAPHQL_VALIDATION_FAILED",
  ],
  ["of many fragments", PAIRS, "GRAPHQL_VALIDATION_FAILED"],
  ["of the same field, often", SAME, "GRAPHQL_VALIDATION_FAILED"],
  [
    "wide",
    "{ certificate_list(pagination: {limit: 1000}) { assignments(pagination: {limit: 1000}) { id notes } } }",
    "QUERY_TOO_COSTLY",
  ],
  [
    "of long texts",
    "{ a: certificate_list(pagination: {limit: 1000}) { pem_content issuer_chain } b: certificate_list(pagination: {limit: 1000}) { pem_content issuer_chain } c: certificate_list(pagination: {limit: 1000}) { pem_content issuer_chain } }",
    "QUERY_TOO_COSTLY",
  ],
  [
    "of the schema, often",
    `{ a: __schema { types { name } } b: __schema { types { name } } c: __schema { types { name } } }`,
    "QUERY_TOO_COSTLY",
  ],
  ["doubling by fragments", `{ certificate(id: 1) { ...f0 } } ${DOUBLING}`, "QUERY_TOO_COSTLY"],
];

async function refusedWith(
  client: Client,
  query: string,
  variables?: Record<string, unknown>,
): Promise<[unknown[], number]> {
  const before = cpuMillis();
  const answer = await ask(client, query, variables);
  assert.equal(answer.data, undefined);
  return [[...new Set(codes(answer))], cpuMillis() - before];
}

Deno.test("a hostile query is refused at once, without touching the database", async (t) => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await data(client, "{ tag_list { id } }");
  for (const [name, query, code] of HOSTILE) {
    await t.step(name, async () => {
      // The second time is measured, because the first one includes compiling our own code.
      await refusedWith(client, query);
      const before = app.database.statements;
      const [found, took] = await refusedWith(client, `${query} `);
      assert.deepEqual(found, [code]);
      assert.equal(app.database.statements, before);
      // A few milliseconds on an idle machine; a query that is not refused early takes seconds.
      assert.ok(took < 2_000, `Took ${took} ms`);
    });
  }
});

Deno.test("unknown names in a query, or in its variables, are reported up to a few, in little time", async (t) => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const variable = "query ($f: CertificateFilter) { certificate_list(filters: $f) { id } }";
  const names = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => `issuing_ca_common_namex${n}`);
  const filter = (count: number): Record<string, unknown> =>
    Object.fromEntries(names(count).map((name) => [name, "x"]));
  const cases: readonly (readonly [string, string, Record<string, unknown>?])[] = [
    [
      "literal",
      `{ certificate_list(filters: {${names(320).map((name) => `${name}: 1`).join(" ")}}) { id } }`,
    ],
    ["fields", `{ certificate_list { ${names(500).join(" ")} } }`],
    ["variable", variable, { f: filter(6_000) }],
    ["variable in lists", variable, {
      f: { AND: Array.from({ length: 500 }, () => filter(10)) },
    }],
    [
      "default of a variable",
      variable.replace(
        "Filter)",
        `Filter = {${names(300).map((name) => `${name}: 1`)}})`,
      ),
    ],
  ];
  for (const [name, query, variables] of cases) {
    await t.step(name, async () => {
      const before = cpuMillis();
      const { errors = [], data } = await ask(client, query, variables);
      assert.ok(
        errors.length >= 2 && errors.length <= MAX_GRAPHQL_ERRORS + 1,
        `${errors.length} errors`,
      );
      assert.equal(data, undefined);
      for (const { message } of errors) {
        assert.ok(message.length < 20_000, `${message.length} characters`);
      }
      const took = cpuMillis() - before;
      assert.ok(took < 1_000, `Took ${took} ms`);
    });
  }
  const { errors } = await ask(client, variable, { f: { common_nam: "x" } });
  assert.match(
    errors?.[0]?.message ?? "",
    /^Variable "\$f" .*"common_nam".*Did you mean "common_name"/,
  );
  await data(client, variable, { f: { common_name: "x" } });
});

Deno.test("queries exactly at the limits are answered", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await data(client, `{ certificate(id: 1) { ${nested(8, ["replaced_by { ", " }"])} } }`);
  await data(client, `{ ${Array.from({ length: 15 }, (_, n) => `a${n}: tag_list { id }`).join(" ")} }`);
  await data(client, getIntrospectionQuery());
  const { certificate_list } = await data(
    client,
    "{ certificate_list(pagination: {limit: 1000}) { id assignments { id assigned_object { ... on DeviceType { name } } } } }",
  );
  assert.equal(certificate_list.length, 12);
});

Deno.test("variables nest up to a limit, and count for the cost like literals", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const query =
    "query ($f: CertificateFilter, $n: Int) { certificate_list(filters: $f, pagination: {limit: $n}) { id } }";
  const deep = JSON.parse(`${'{"NOT":'.repeat(40)}{}${"}".repeat(40)}`);
  assert.deepEqual((await refusedWith(client, query, { f: deep }))[0], ["QUERY_TOO_DEEP"]);
  const wide =
    "query ($n: Int) { certificate_list(pagination: {limit: $n}) { assignments(pagination: {limit: $n}) { id } } }";
  assert.deepEqual((await refusedWith(client, wide, { n: 1000 }))[0], ["QUERY_TOO_COSTLY"]);
  await data(client, wide, { n: 10 });
});

function withPatterns(patterns: readonly string[]): string {
  const lists = patterns.map((pattern, n) =>
    `a${n}: certificate_list(filters: {issuer__regex: "${pattern}"}) { id }`
  );
  return `{ ${lists.join(" ")} }`;
}

Deno.test("regular expressions are counted over all lists of a query, those within others included", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await data(client, withPatterns(["a", "b", "c", "d", "e"]));
  assert.deepEqual((await refusedWith(client, withPatterns(["a", "b", "c", "d", "e", "f"])))[0], [
    "BAD_USER_INPUT",
  ]);
  const inner = `{ tenant_list(filters: {name__regex: ["a", "b", "c"]}) {
    certificates(filters: {issuer__regex: ["d", "e", "f"]}) { id } } }`;
  const { errors = [] } = await ask(client, inner);
  assert.match(errors[0]?.message ?? "", /Use at most 5 regular expressions in one request/);
});

Deno.test("filters of a caller who may view nothing are not read", async () => {
  await using app = await testApp();
  const client = await app.as(stranger());
  await ask(client, withPatterns(["a"]));
  const hostile = Array.from({ length: 15 }, () => "(a?){1000}".repeat(20));
  const before = cpuMillis();
  const answer = await ask(client, withPatterns(hostile));
  assert.ok(cpuMillis() - before < 1_000);
  assert.deepEqual([...new Set(codes(answer))], ["FORBIDDEN"]);
});

Deno.test("all invalid arguments are reported at once with their paths, and nothing is read", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await refreshCustomFields(app);
  const before = app.database.statements;
  const { errors = [], data: none } = await ask(
    client,
    `{ mine: certificate_list(filters: {status: "activ", valid_to__lt: "soon", NOT: {id__empty: null}}, pagination: {limit: -1},
       ordering: "comon_name") { assignments(pagination: {start: 1, offset: 2}, filters: {tenant__where: {}}) { id } } }`
      .replace(", filters: {tenant__where: {}}", ""),
  );
  assert.equal(none, undefined);
  assert.deepEqual(errors.map(({ path, message }) => [path?.join("."), message.split(":")[0]]), [
    ["mine.assignments", "pagination.start"],
    ["mine", "filters.valid_to__lt"],
    ["mine", "filters.status"],
    ["mine", "filters.id__empty"],
    ["mine", "pagination.limit"],
    ["mine", "ordering"],
  ]);
  assert.ok(errors.every(({ extensions }) => extensions?.code === "BAD_USER_INPUT"));
  assert.match(errors[5]?.message ?? "", /Did you mean “common_name”\?/);
  assert.equal(app.database.statements - before, 1, "Only the token is looked up");
});

Deno.test("without introspection the schema is not disclosed, not even by suggestions", async () => {
  await using app = await testApp({ graphqlIntrospection: false });
  const client = await app.as("superuser");
  const received = await ask(client, "{ __schema { types { name } } }");
  assert.deepEqual([received.data, codes(received)[0]], [undefined, "GRAPHQL_VALIDATION_FAILED"]);
  const { errors } = await ask(client, "{ certificate_lis { id } }");
  assert.doesNotMatch(JSON.stringify(errors), /Did you mean|certificate_list/);
  const variable = "query ($f: CertificateFilter) { certificate_list(filters: $f) { id } }";
  const unknown = await ask(client, variable, { f: { common_nam: "x" } });
  assert.equal(unknown.errors?.length, 1);
  assert.doesNotMatch(JSON.stringify(unknown.errors), /Did you mean/);
  await data(client, "{ certificate_list { __typename } }");
});
