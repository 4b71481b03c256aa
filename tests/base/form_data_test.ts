/** Limits of forms, each from both sides. */

import assert from "node:assert/strict";
import { MAX_PART_HEADER_BYTES, parseForm } from "../../src/base/form_data.ts";
import { MAX_FORM_FIELDS } from "../../src/base/limits.ts";

const ENCODED = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=xYzZY";

function parse(text: string, type: string): Promise<FormData> {
  return parseForm(new TextEncoder().encode(text), type);
}

function multipart(fields: number, header = ""): string {
  const part = `--xYzZY\r\n${header}Content-Disposition: form-data; name="a"\r\n\r\nb\r\n`;
  return `${part.repeat(fields)}--xYzZY--\r\n`;
}

Deno.test("an encoded form with the maximum number of fields is accepted, one more is refused", async () => {
  const form = await parse(Array(MAX_FORM_FIELDS).fill("a=1").join("&"), ENCODED);
  assert.equal(form.getAll("a").length, MAX_FORM_FIELDS);
  for (const text of ["a&", "&", "a=1&"]) {
    await assert.rejects(parse(text.repeat(MAX_FORM_FIELDS), ENCODED), { code: "invalid" });
  }
});

Deno.test("a multipart form with the maximum number of parts is accepted, one more is refused, however its boundary is written", async () => {
  const form = await parse(multipart(MAX_FORM_FIELDS), MULTIPART);
  assert.equal(form.getAll("a").length, MAX_FORM_FIELDS);
  const many = multipart(MAX_FORM_FIELDS + 1);
  for (
    const type of [MULTIPART, "Multipart/Form-Data; Boundary=xYzZY", 'multipart/form-data; boundary="xYzZY"']
  ) {
    await assert.rejects(parse(many, type), { code: "invalid" }, type);
  }
});

Deno.test("a content type with an ambiguous boundary is refused", async () => {
  const types = [
    "multipart/form-data",
    "multipart/form-data; boundary=",
    'multipart/form-data; x="; boundary=a"; boundary=xYzZY',
    'multipart/form-data; boundary="x\\YzZY"',
    "multipart/mixed; boundary=xYzZY",
  ];
  for (const type of types) await assert.rejects(parse(multipart(1), type), { code: "invalid" }, type);
  const form = await parse(multipart(1), "multipart/form-data; charset=utf-8; boundary=xYzZY; a=b");
  assert.equal(form.get("a"), "b");
});

Deno.test("headers of a part up to the limit are accepted, longer ones are refused", async () => {
  const room = MAX_PART_HEADER_BYTES - '\r\nContent-Disposition: form-data; name="a"\r\n\r\n'.length;
  const header = (length: number): string => `X: ${"x".repeat(length - "X: \r\n".length)}\r\n`;
  const form = await parse(multipart(1, header(room)), MULTIPART);
  assert.equal(form.get("a"), "b");
  await assert.rejects(parse(multipart(1, header(room + 1)), MULTIPART), { code: "invalid" });
  await assert.rejects(parse(`--xYzZY\r\n${"a: b\r\n".repeat(100_000)}`, MULTIPART), { code: "invalid" });
});

Deno.test("a large form with few fields is accepted", async () => {
  const value = "x".repeat(1_000_000);
  assert.equal((await parse(`a=${value}`, ENCODED)).get("a"), value);
});
