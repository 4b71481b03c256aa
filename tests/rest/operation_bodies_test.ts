/** Each operation's body is parsed by the schema that documents it. */

import assert from "node:assert/strict";
import type { z } from "zod";
import type { Operation } from "../../src/rest/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { document } from "../support/contract.ts";
import { operations } from "../support/operations.ts";

// deno-lint-ignore no-explicit-any -- tests walk through it
type Schema = any;

const parsed = operations.filter((operation) => operation.runs !== undefined);

Deno.test("a documented body is that of a resource, or the schema of the operation", () => {
  const others = operations.filter(({ method, request, runs }) =>
    method !== "DELETE" && request !== undefined && !("$ref" in request) && runs?.input !== request
  );
  assert.deepEqual(others.map(({ operationId }) => operationId), []);
  assert.ok(parsed.length >= 21, `${parsed.length} operations`);
});

for (const operation of parsed) {
  Deno.test(`${operation.operationId} parses its body by the schema that documents it`, async () => {
    await using app = await testApp();
    const client = await app.as(operation.anonymous ? "nobody" : "superuser");
    // The function of the library that every way of parsing calls.
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

  Deno.test(`${operation.operationId} refuses every violation of its documented body and names the field`, async () => {
    await using app = await testApp();
    const client = await app.as(operation.anonymous ? "nobody" : "superuser");
    for (const form of formsOf(operation)) {
      for (const { field, body } of violations(form)) {
        // One part is a list of one text.
        if (operation.requestType !== undefined && form.properties[field]?.type === "array" && isText(body)) {
          continue;
        }
        const { status, answer } = await send(client, operation, body);
        const shown = `${JSON.stringify(body).slice(0, 200)} → ${status} ${
          JSON.stringify(answer).slice(0, 300)
        }`;
        assert.equal(status, 400, shown);
        assert.ok(namedFields(answer).includes(field), `No message about ${field}: ${shown}`);
      }
    }
    if (operation.requestType !== undefined) return;
    const isList = formsOf(operation).some(({ type }) => type === "array");
    for (const body of [...(isList ? [] : [[]]), "text", 5]) {
      const { status, answer } = await send(client, operation, body);
      assert.equal(status, 400, JSON.stringify(answer));
      assert.match(
        String(answer.detail),
        /^Expected an object(?: with data, or a list of .*)?, not /,
      );
    }
  });
}

/** Returns whether the only member of a body is a text. */
function isText(body: unknown): boolean {
  return Object.values(body as object).every((value) => typeof value === "string");
}

/** Returns the fields that a refusal names, also by row or by element. */
function namedFields(answer: Record<string, unknown>): string[] {
  const { errors = [], results = [], failed_certificates: failed = [] } = answer as {
    errors?: { field: string }[];
    results?: { errors?: object }[];
    failed_certificates?: { errors: object }[];
  };
  return [
    ...Object.keys(answer),
    ...(Array.isArray(errors) ? errors.map(({ field }) => field) : []),
    ...[...results, ...failed].flatMap((one) => Object.keys(one.errors ?? {})),
  ];
}

async function send(
  client: Client,
  { path, method, requestType }: Operation,
  body: unknown,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await client(path.replace("{id}", "1"), {
    method,
    ...(requestType === undefined
      ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
      : { body: formOf(body as Record<string, unknown>) }),
  });
  return { status: response.status, answer: await response.json() };
}

/** Returns a multipart form. Values that are not texts are sent as two files, which no part accepts. */
function formOf(body: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === "string") form.append(name, value);
    else for (const content of ["a", "b"]) form.append(name, new File([content], "a.pem"));
  }
  return form;
}

/** Returns the documented body, or its alternatives. */
function formsOf({ path, method }: Operation): Schema[] {
  const { content } = document.paths[path][method.toLowerCase()].requestBody;
  const [{ schema }] = Object.values<Schema>(content);
  return schema.anyOf ?? [schema];
}

/** Yields bodies that each violate one constraint of an object's schema, or of the elements of a list. */
function* violations(schema: Schema): Generator<{ field: string; body: unknown }> {
  if (schema.type === "array") {
    for (const { field, body } of violations(schema.items)) yield { field, body: [body] };
    return;
  }
  assert.notEqual(schema.additionalProperties ?? true, true, JSON.stringify(schema));
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
