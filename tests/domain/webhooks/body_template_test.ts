/** Templates of bodies: rendering, protection, and limits. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { renderTemplate, TemplateError, templateFault } from "../../../src/domain/webhooks/body_template.ts";
import { testClock, testContext } from "../../support/context.ts";
import { testDatabase } from "../../support/database.ts";
import { addWebhook, changeOf, commit, deliveries, drain, receiver } from "./sending/support.ts";

const HOSTILE = '"},"admin":true,{"\\\n\u0000\u2028{{x}}</script>\ud83d';

Deno.test("values stay inside of their JSON texts, whatever they contain", () => {
  const text = renderTemplate('{"name":"{{name}}","list":[{{#list}}"{{.}}",{{/list}}"end"]}', {
    name: HOSTILE,
    list: [HOSTILE, "b"],
  });
  const whole = HOSTILE.toWellFormed();
  assert.deepEqual(JSON.parse(text), { name: whole, list: [whole, "b", "end"] });
});

Deno.test("objects, numbers, booleans and missing values have a text", () => {
  const values = { object: { a: [1] }, list: [1, 2], zero: 0, no: false, nothing: null };
  const template =
    '["{{object}}","{{list}}",{{zero}},{{no}},"{{nothing}}","{{missing.name}}","{{list.length}}"]';
  assert.deepEqual(JSON.parse(renderTemplate(template, values)), [
    '{"a":[1]}',
    "[1,2]",
    0,
    false,
    "",
    "",
    "2",
  ]);
});

for (
  const name of [
    "constructor",
    "constructor.constructor",
    "list.constructor.constructor",
    "text.constructor",
    "__proto__",
    "toString",
    "list.map",
    "valueOf",
    "__defineGetter__",
  ]
) {
  Deno.test(`a template cannot access ${name} of JavaScript`, () => {
    const values = { list: [1], text: "a", object: {} };
    for (const template of [`["{{${name}}}"]`, `[{{#${name}}}"return 1"{{/${name}}}]`]) {
      const [only = ""] = JSON.parse(renderTemplate(template, values));
      assert.equal(only, "", template);
    }
  });
}

Deno.test("a rendering with too many repetitions or too much text is stopped", () => {
  const list = Array.from({ length: 1_000 }, (_, n) => n);
  for (
    const [template, reason] of [
      ["[{{#list}}{{#list}}{{/list}}{{/list}}]", /more than 2000 times/],
      [`[{{#list}}"${"x".repeat(3_000)}",{{/list}}1]`, /exceeds 262144 characters/],
    ] as const
  ) {
    assert.throws(() => renderTemplate(template, { list }), reason);
  }
  assert.throws(
    () => renderTemplate(`["${"{{text}}".repeat(100)}"]`, { text: "y".repeat(3_000) }),
    /exceeds 262144 characters/,
  );
});

Deno.test("a rendering that is not JSON is an error with the reason", () => {
  assert.throws(() => renderTemplate("{{text}}", { text: "a" }), TemplateError);
  assert.match(templateFault('{"n": {{missing}}}', { n: 1 }) ?? "", /renders text that is not JSON/);
  assert.equal(templateFault('{"n": {{n}}}', { n: 1 }), undefined);
});

Deno.test("a webhook sends what its template renders, signed as it is sent", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const secret = "0123456789abcdef";
  await addWebhook(database, {
    secret,
    body_template: '{"text":"{{data.common_name}} {{event}} by {{username}}","id":{{data.id}}}',
  });
  await commit(ctx, changeOf(7, "update", 'a"b.example'));
  const { send, requests } = receiver();
  await drain(ctx, { send });
  const [request] = requests;
  assert.deepEqual(JSON.parse(request?.body ?? ""), { text: 'a"b.example updated by system', id: 7 });
  assert.equal(
    request?.headers["x-hook-signature"],
    createHmac("sha512", secret).update(request?.body ?? "").digest("hex"),
  );
});

Deno.test("a message whose template fails waits, and is sent when the template is fixed", async () => {
  await using database = await testDatabase();
  const clock = testClock();
  const ctx = testContext({ database, clock });
  const id = await addWebhook(database, { body_template: '{"n": {{data.missing}}}' });
  await commit(ctx, changeOf(1));
  const { send, requests } = receiver();
  await drain(ctx, { send });
  const [row] = await deliveries(database);
  assert.deepEqual([requests.length, row?.state], [0, "pending"]);
  assert.match(row?.error ?? "", /^The template renders text that is not JSON: /);
  await database.write((tx) =>
    tx.run(sql`UPDATE webhooks SET body_template = ${'{"n": {{data.id}}}'} WHERE id = ${id}`)
  );
  clock.advance(3_600_000);
  await drain(ctx, { send });
  assert.deepEqual(requests.map(({ body }) => JSON.parse(body)), [{ n: 1 }]);
});
