import { textsByField } from "../../src/base/findings.ts";
import assert from "node:assert/strict";
import { compileOrdering, parseOrdering } from "../../src/filters/mod.ts";
import { CERTIFICATES, render } from "./support.ts";

const ORDERS: readonly [string | null, string][] = [
  [null, '"c"."id"'],
  ["", '"c"."id"'],
  ["id", '"c"."id"'],
  ["-id", '"c"."id" DESC'],
  ["valid_to", '"c"."valid_to", "c"."id"'],
  ["-valid_to", '"c"."valid_to" DESC, "c"."id" DESC'],
  ["-valid_to,common_name", '"c"."valid_to" DESC, "c"."common_name", "c"."id"'],
  [" status , -valid_to ", '"c"."status", "c"."valid_to" DESC, "c"."id" DESC'],
  ["status,-status", '"c"."status", "c"."id"'],
  ["status,-id,valid_to", '"c"."status", "c"."id" DESC'],
  ["serial_number", '"c"."serial_hex", "c"."id"'],
];

for (const [text, expected] of ORDERS) {
  Deno.test(`parseOrdering parses ${JSON.stringify(text)} into a complete order`, () => {
    const { keys, errors } = parseOrdering(text, CERTIFICATES);
    assert.deepEqual(errors, []);
    assert.equal(render(compileOrdering(keys, { map: CERTIFICATES, alias: "c" })).sql, expected);
  });
}

Deno.test("parseOrdering falls back to the resource's order", () => {
  const fallback = [{ field: "valid_to", descending: true }];
  assert.deepEqual(parseOrdering("", CERTIFICATES, { fallback }).keys, [
    { field: "valid_to", descending: true },
    { field: "id", descending: true },
  ]);
  assert.equal(parseOrdering("status", CERTIFICATES, { fallback }).keys[0]?.field, "status");
});

const REFUSED: readonly [string, string[]][] = [
  ["colour", ["Cannot order by “colour”."]],
  ["statu", ["Cannot order by “statu”. Did you mean “status”?"]],
  ["--status", ["Cannot order by “-status”. Did you mean “status”?"]],
  ["expired,tag,san,replaced_by", [
    "Cannot order by “expired”.",
    "Cannot order by “tag”.",
    "Cannot order by “san”.",
    "Cannot order by “replaced_by”.",
  ]],
  ["tenant__name", ["Cannot order by “tenant__name”."]],
  ["__proto__,constructor,toString", [
    "Cannot order by “__proto__”.",
    "Cannot order by “constructor”.",
    "Cannot order by “toString”.",
  ]],
  ["id;DROP TABLE certificates", ["Cannot order by “id;DROP TABLE certificates”."]],
  ["status desc", ["Cannot order by “status desc”."]],
];

for (const [text, messages] of REFUSED) {
  Deno.test(`parseOrdering refuses ${text}`, () => {
    assert.deepEqual(textsByField(parseOrdering(text, CERTIFICATES).errors), { ordering: messages });
  });
}
