/** Values of any type in any field are refused, or accepted and read back unchanged. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import type { Field, Resource } from "../../src/resource/mod.ts";
import { type Client, testApp } from "../support/app.ts";
import { ask, bodyOf } from "../support/hostile.ts";
import { PATHS } from "../support/paths.ts";
import { sampleOf } from "../support/samples.ts";

const writable = resources.filter((resource) => resource.methods.collection.includes("POST"));

/** Values of every type that JSON has, and the edges of each. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  9_007_199_254_740_993,
  "",
  " ",
  "x",
  "null",
  "true",
  "-1",
  "9223372036854775808",
  "1e400",
  "\0",
  "a\u202eb\u2066c",
  "\u{FEFF}\u200b",
  "\ud800",
  "'; DROP TABLE users; --",
  "%_\\%",
  "x".repeat(5_000),
  "<script>alert(1)</script>",
  "{{7*7}}${7*7}",
  "../../../etc/passwd",
  "2026-13-45",
  "0000-00-00T00:00:00Z",
  "9999-12-31T23:59:59+23:59",
  "+275760-09-13",
  [],
  {},
  [[]],
  [null],
  [{}],
  [1, "1", 1],
  { id: null },
  { id: { id: 1 } },
  { id: -1 },
  { id: 1.5 },
  { name: ["x"] },
  { name: "x", slug: {} },
  { length: 1 },
  { toString: 1 },
  Array(2_100).fill("x"),
];

/** `1e400` and other numbers that `JSON.stringify` cannot write. */
const RAW_VALUES = [
  "1e400",
  "-1e400",
  "123456789012345678901234567890",
  '{"__proto__": {"id": 1}}',
  '{"constructor": 1}',
];

for (const resource of writable) {
  Deno.test(`a value of any type in any field of ${resource.labelPlural} is refused or accepted`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const fields = Object.values(resource.fields);
    for (const value of [...VALUES.map((one) => JSON.stringify(one)), ...RAW_VALUES]) {
      // First all fields together: those that cannot have the value are reported. Then the other ones.
      const named = await refusedFields(client, { resource, body: bodyOf({}, fields, value) });
      const open = fields.filter((field) => field.input !== undefined && !named.includes(field.name));
      if (open.length > 0) await write(client, { resource, fields: open, value });
    }
  });
}

/** Tries to create an object and returns the names of the refused fields. */
async function refusedFields(
  client: Client,
  { resource, body }: { resource: Resource; body: string },
): Promise<string[]> {
  const { status, text } = await ask(client, "POST", `/api/${resource.path}/`, body);
  if (status === 201) return [];
  assert.equal(status, 400, `${body.slice(0, 300)} → ${text}`);
  const named = Object.keys(JSON.parse(text));
  const known = [...Object.keys(resource.fields), "__all__", "detail"];
  assert.deepEqual(named.filter((name) => !known.includes(name)), [], text);
  return named;
}

/** Writes a value that no field has refused: to a stored row if possible, else to a new one. */
async function write(
  client: Client,
  { resource, fields, value }: { resource: Resource; fields: readonly Field[]; value: string },
): Promise<void> {
  const path = `/api/${resource.path}/`;
  const { create, seen } = sampleOf(resource);
  const patches = resource.methods.item.includes("PATCH");
  const body = bodyOf(patches ? {} : create?.(1) ?? {}, fields, value);
  const written = await ask(client, patches ? "PATCH" : "POST", patches ? `${path}${seen}/` : path, body);
  // Several fields together may still be invalid, or not permitted to the caller.
  if (written.status >= 400) return;
  // Values that are shown once cannot be read again.
  const { key: _, secret: __, ...object } = JSON.parse(written.text);
  const { key: ___, ...found } = JSON.parse((await ask(client, "GET", `${path}${object.id}/`)).text);
  assert.deepEqual(found, object);
  const listed = await ask(client, "GET", `${path}?id=${object.id}`);
  assert.equal(listed.status, 200, listed.text);
  if (!patches) assert.equal((await ask(client, "DELETE", `${path}${object.id}/`)).status, 204);
}

Deno.test("texts with metacharacters are stored and found unchanged", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const names = [
    "100%",
    "a_b",
    "it's",
    'say "x"',
    "back\\slash",
    "tab\tbed",
    "new\nline",
    "emoji 🙂",
    "e\u0301",
    "(x) OR 1=1",
  ];
  for (const [index, name] of names.entries()) {
    const { status, text } = await ask(client, "POST", PATHS.tenants, { name, slug: `s${index}` });
    assert.equal(status, 201, text);
    for (const filter of ["name", "name__ic", "name__ie", "name__isw", "q"]) {
      const { count } = JSON.parse(
        (await ask(client, "GET", `${PATHS.tenants}?${filter}=${encodeURIComponent(name)}`)).text,
      );
      assert.equal(count, 1, `${filter}=${name}`);
    }
  }
});
