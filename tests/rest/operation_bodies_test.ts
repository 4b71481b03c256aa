/** Each operation's body is parsed by the schema that documents it. */

import assert from "node:assert/strict";
import type { z } from "zod";
import type { Operation } from "../../src/rest/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";

// deno-lint-ignore no-explicit-any -- tests walk through it
type Schema = any;

/** Operations that read their tables, PEM texts and parameters themselves, with their own answers by row or item. */
const READ_BY_ROW = [
  "exportCertificatesByBody",
  "importCertificate",
  "importCertificateFile",
  "bulkImportCertificates",
  "bulkImportCertificateData",
];

const parsed = operations.filter((operation) => operation.runs !== undefined);

Deno.test("a documented body is that of a resource, or the schema of the operation that runs", () => {
  const others = operations.filter(({ request, runs }) =>
    request !== undefined && !("$ref" in request) && runs?.input !== request
  );
  assert.deepEqual(others.map(({ operationId }) => operationId), READ_BY_ROW);
  assert.ok(parsed.length >= 16, `${parsed.length} operations`);
});

for (const operation of parsed) {
  Deno.test(`${operation.operationId} parses its body by the schema that documents it`, async () => {
    await using app = await testApp();
    const client = await app.as(operation.anonymous ? "nobody" : "superuser");
    // The library's own entry of a schema: every way of parsing passes it.
    const inner = (operation.request as z.ZodType)._zod;
    const run = inner.run;
    let calls = 0;
    inner.run = (...given) => {
      calls++;
      return run(...given);
    };
    try {
      await send(client, operation, { unknown_field: 1 });
    } finally {
      inner.run = run;
    }
    assert.equal(calls, 1);
  });

  Deno.test(`${operation.operationId} refuses every breach of its documented body, naming the field`, async () => {
    await using app = await testApp();
    const client = await app.as(operation.anonymous ? "nobody" : "superuser");
    const schema = bodyOf(operation);
    for (const { field, body } of breaches(schema)) {
      const { status, answer } = await send(client, operation, body);
      const said = `${JSON.stringify(body).slice(0, 200)} → ${status} ${
        JSON.stringify(answer).slice(0, 300)
      }`;
      assert.equal(status, 400, said);
      assert.ok(Object.hasOwn(answer, field), `No message about ${field}: ${said}`);
    }
    for (const body of [[], "text", 5]) {
      const { status, answer } = await send(client, operation, body);
      assert.equal(status, 400, JSON.stringify(answer));
      assert.match(String(answer.detail), /^Expected an object, not /);
    }
  });
}

async function send(
  client: Client,
  { path, method }: Operation,
  body: unknown,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await client(path.replace("{id}", "1"), {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, answer: await response.json() };
}

function bodyOf({ path, method }: Operation): Schema {
  return document.paths[path][method.toLowerCase()].requestBody.content["application/json"].schema;
}

/** Bodies that each break one constraint of an object's schema. */
function* breaches(schema: Schema): Generator<{ field: string; body: Record<string, unknown> }> {
  assert.equal(schema.additionalProperties, false, JSON.stringify(schema));
  yield { field: "unknown_field", body: { unknown_field: 1 } };
  for (const name of schema.required ?? []) yield { field: name, body: {} };
  for (const [name, property] of Object.entries<Schema>(schema.properties ?? {})) {
    for (const value of wrongValues(property)) yield { field: name, body: { [name]: value } };
  }
}

function* wrongValues(schema: Schema): Generator<unknown> {
  const variants = (schema.anyOf ?? schema.oneOf ?? [schema]) as Schema[];
  if (variants.length > 1) {
    const types = variants.map(({ type }) => type);
    if (!types.includes("boolean")) yield true;
    if (!types.includes("array")) yield [[]];
    return;
  }
  const [{ type, enum: values, ...limits }] = variants as [Schema];
  if (type !== "object") yield { a: 1 };
  if (type !== "string") yield "no such value";
  if (type !== "boolean") yield true;
  if (values !== undefined) yield "no such value";
  if (limits.minLength === 1) yield "";
  if (limits.maxLength < 100_000) yield "x".repeat(limits.maxLength + 1);
  if (limits.minimum > Number.MIN_SAFE_INTEGER) yield limits.minimum - 1;
  if (type === "integer") yield* [1.5, 2 ** 53];
  if (limits.minItems === 1) yield [];
  if (limits.maxItems !== undefined) yield Array(limits.maxItems + 1).fill(1);
  if (limits.items?.type === "integer") yield* [[1.5], ["1"], [null]];
}
