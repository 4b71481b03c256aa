/** Errors as codes with parameters. */

import assert from "node:assert/strict";
import { CODES, sentence } from "../../src/messages/mod.ts";
import { testApp } from "../support/app.ts";

const TAGS = "/api/extras/tags/";

Deno.test("with error_format=codes an error has its codes, parameters and sentences", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const errorsOf = async (path: string, body?: unknown): Promise<unknown[]> => {
    const response = await client(path, body === undefined ? {} : { method: "POST", body });
    return [response.status, (await response.json()).errors];
  };
  assert.deepEqual(await errorsOf(`${TAGS}?error_format=codes`, { name: "x".repeat(200), slug: "x" }), [400, [
    {
      code: "too_long",
      field: "name",
      params: { max: 100 },
      message: "Ensure this field has no more than 100 characters.",
    },
  ]]);
  assert.deepEqual(await errorsOf(`${TAGS}?error_format=codes`, [{ name: "x", slug: "x" }, { slug: "y" }]), [
    400,
    [
      { code: "required", field: "name", params: {}, message: "This field is required.", row: 2 },
    ],
  ]);
  assert.deepEqual(await errorsOf(`${TAGS}?statuss=x&error_format=codes`), [400, [
    { code: "unknown_filter", field: "statuss", params: {}, message: "Unknown filter." },
  ]]);
  assert.deepEqual(await errorsOf(`${TAGS}999999/?error_format=codes`), [404, [
    { code: "not_found", field: null, params: {}, message: "Not found." },
  ]]);
  assert.equal((await client(`${TAGS}?error_format=codes&limit=1`)).status, 200);
});

Deno.test("another error format is refused like an unknown parameter", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  assert.equal((await client(`${TAGS}?error_format=xml`)).status, 400);
});

Deno.test("optional parts of a sentence need all their parameters, and numbers choose words", () => {
  const without = sentence({ code: "unexpected", params: { expected: "text" } });
  assert.equal(without, "Expected text.");
  assert.equal(
    sentence({ code: "unexpected", params: { expected: "text", value: 1 } }),
    "Expected text, not 1.",
  );
  for (const [code, text] of Object.entries(CODES)) assert.match(code, /^[a-z_]+$/, text);
});
