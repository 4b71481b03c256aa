/** The text of compiled statements, without a database. */

import assert from "node:assert/strict";
import {
  compileCondition,
  type Condition,
  EVERYTHING,
  NOTHING,
  parseConstraint,
} from "../../src/filters/mod.ts";
import { CERTIFICATES, compiled, CONTEXT, query } from "./support.ts";

const STATEMENTS: readonly [string, string, unknown[]][] = [
  ["status=active", `"c"."status" = 'active'`, []],
  ["id=1&id=2", `"c"."id" IN (SELECT value FROM json_each(?))`, ["[1,2]"]],
  ["id__lt=1&id__lt=5", `"c"."id" < ?`, [5]],
  ["status=active&status=expired", `"c"."status" IN ('active', 'expired')`, []],
  ["status__n=active", `(("c"."status" = 'active') IS NOT TRUE)`, []],
  ["common_name=ab", `instr("c"."common_name", ?) > 0`, ["ab"]],
  ["tenant_id=1", `"c"."tenant_id" = ?`, [1]],
  [
    "tenant__owner__username=x",
    `"c"."tenant_id" IN (SELECT "c_1"."id" FROM "tenants" AS "c_1" WHERE "c_1"."owner_id" IN ` +
    `(SELECT "c_2"."id" FROM "users" AS "c_2" WHERE "c_2"."username" = ?))`,
    ["x"],
  ],
  ["is_acme=true", `"c"."is_acme" = 1`, []],
];

for (const [text, sql, params] of STATEMENTS) {
  Deno.test(`compileCondition compiles ${text} to ${sql}`, () => {
    assert.deepEqual(compiled(query(text)), { sql, params });
  });
}

Deno.test("compileCondition compiles the constants to 1 and 0", () => {
  assert.equal(compiled(EVERYTHING).sql, "1");
  assert.equal(compiled(NOTHING).sql, "0");
});

const REPEATED = [
  "id",
  "id__n",
  "id__gt",
  "issuer",
  "issuer__n",
  "issuer__exact",
  "issuer__contains",
  "issuer__ie",
  "common_name__iew",
  "tenant_id",
  "tenant__n",
  "tag__in",
  "san",
  "serial_number",
];

for (const name of REPEATED) {
  Deno.test(`a statement with ${name} is the same for 2 and for 50 values`, () => {
    const values = (count: number): string =>
      Array.from({ length: count }, (_, i) => `${name}=${1000 + i}`).join("&");
    assert.equal(compiled(query(values(50))).sql, compiled(query(values(2))).sql);
  });
}

Deno.test("no value is ever part of a statement's text", () => {
  const marker = "c0ffee";
  const names = [
    "common_name",
    "issuer__ie",
    "issuer__iew",
    "issuer__startswith",
    "acme_provider",
    "q",
    "tenant",
    "tag",
  ];
  for (
    const name of [...names, "tenant__name__ic", "serial_number", "fingerprint__ic", "san", "san__regex"]
  ) {
    if (name.endsWith("regex")) continue;
    const { sql, params } = compiled(query(`${name}=${marker}`));
    assert.doesNotMatch(sql, new RegExp(marker), name);
    assert.match(JSON.stringify(params), new RegExp(marker), name);
  }
});

Deno.test("aliases are unique along a path and begin with the root's", () => {
  const { sql } = compiled(query("replaced_by__tenant__owner__username=x"), { alias: "root" });
  assert.deepEqual(sql.match(/AS "\w+"/g), ['AS "root_1"', 'AS "root_2"', 'AS "root_3"']);
});

Deno.test("the restriction of a relation is part of every filter that crosses it", () => {
  const view = parseConstraint({ id__lt: 100 }, CERTIFICATES).condition;
  const { sql } = compiled(query("tenant__owner__username=x"), { visible: () => view });
  assert.match(sql, /"c_2"\."username" = \? AND "c_2"\."id" < \?/);
  assert.match(sql, /AND "c_1"\."id" < \?/);
  assert.doesNotMatch(sql, /"c"\."id" </, "the root is the caller's own business");
});

const WRONG: readonly [string, Condition][] = [
  ["an unknown field", {
    kind: "compare",
    path: ["colour"],
    operator: "exact",
    values: ["x"],
    negated: false,
  }],
  ["a prototype's name", {
    kind: "compare",
    path: ["__proto__"],
    operator: "exact",
    values: ["x"],
    negated: false,
  }],
  ["no relation", {
    kind: "compare",
    path: ["status", "id"],
    operator: "exact",
    values: [1],
    negated: false,
  }],
  ["an empty path", { kind: "compare", path: [], operator: "exact", values: [1], negated: false }],
  ["a regex", { kind: "compare", path: ["issuer"], operator: "regex", values: ["x"], negated: false }],
  ["an operator of another type", {
    kind: "compare",
    path: ["id"],
    operator: "contains",
    values: [1],
    negated: false,
  }],
];

for (const [title, condition] of WRONG) {
  Deno.test(`compileCondition throws on a tree with ${title}, instead of selecting too much`, () => {
    assert.throws(() => compileCondition(condition, CERTIFICATES, CONTEXT), Error);
  });
}
