/** Hostile queries: any value of any parameter is refused or accepted, and metacharacters match themselves. */

import assert from "node:assert/strict";
import { resources } from "../../src/domain/registry.ts";
import { testApp } from "../support/app.ts";
import { ask, refused } from "../support/hostile.ts";
import { operations } from "../support/operations.ts";
import { PATHS } from "../support/paths.ts";
import { writtenBytes } from "../support/store.ts";

const PARAMETER_VALUES = [
  "",
  "null",
  "\0",
  "'",
  '"',
  "\\",
  "%",
  "_",
  "%%%",
  "*",
  "?",
  "[",
  "' OR '1'='1",
  "1; DROP TABLE users",
  "1)) UNION SELECT * FROM tokens --",
  "\u202e",
  "\ud800",
  "a\nb",
  "9223372036854775808",
  "-9223372036854775809",
  "1e400",
  "NaN",
  "0x10",
  "true",
  "[1]",
  "{}",
  "$user",
  "x".repeat(2_001),
  "(a+)+$",
  "(".repeat(150),
];

for (const resource of resources) {
  Deno.test(`any value of any parameter of the list of ${resource.labelPlural} is refused or accepted`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const before = await writtenBytes(app.database);
    const path = `/api/${resource.path}/`;
    const list = operations.find((operation) => operation.method === "GET" && operation.path === path);
    for (const { name } of list?.parameters?.() ?? []) {
      // Separate requests for all values would be some 40,000; the parser also has separate tests.
      for (const value of sampleOfValues(name)) {
        const { status, text } = await ask(
          client,
          "GET",
          `${path}?${name}=${encodeURIComponent(value.toWellFormed())}&limit=2`,
        );
        assert(status === 200 || status === 400, text);
        if (status === 200) JSON.parse(text);
      }
    }
    assert.equal(await writtenBytes(app.database), before);
  });
}

/** Returns three of the values, different ones for each name, but the same in each run. */
function sampleOfValues(name: string): string[] {
  const start = [...name].reduce((sum, char) => sum + char.charCodeAt(0), 0);
  return [0, 11, 22].map((step) => PARAMETER_VALUES[(start + step) % PARAMETER_VALUES.length] as string);
}

Deno.test("metacharacters of LIKE, GLOB and full-text search match themselves", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (
    const value of [
      "%",
      "_",
      "*",
      "?",
      "[a-z]",
      '"',
      "a*",
      "NEAR(a b)",
      "issuer:acme",
      "OR",
      "a OR b",
      "-x",
      "^w",
    ]
  ) {
    for (
      const name of ["q", "common_name", "common_name__ic", "common_name__isw", "common_name__iew", "san"]
    ) {
      const query = `${PATHS.certificates}?${name}=${encodeURIComponent(value)}&limit=0`;
      const { results } = JSON.parse((await ask(client, "GET", query)).text);
      for (const row of results) {
        const texts = name === "q"
          ? [row.common_name, row.issuer, ...row.sans]
          : name === "san"
          ? row.sans
          : [row.common_name];
        assert(
          texts.some((text: string) => text.toLowerCase().includes(value.toLowerCase())),
          `${query} gave ${row.display}`,
        );
      }
    }
  }
});

Deno.test("too many parameters, values and characters are refused", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const queries = [
      Array.from({ length: 101 }, (_, index) => `id__gt=1&x${index}=1`).join("&"),
      Array.from({ length: 1_001 }, (_, index) => `id=${index}`).join("&"),
      Array.from({ length: 101 }, (_, index) => `common_name=${index}x`).join("&"),
      `common_name=${"x".repeat(2_001)}`,
      `common_name__regex=${"x".repeat(201)}`,
      `tenant__tenant__tenant__tenant__name=x`,
      `${"x".repeat(20_000)}=1`,
    ];
    return await Promise.all(
      queries.map(async (query) => (await ask(client, "GET", `${PATHS.certificates}?${query}`)).status),
    );
  });
});

Deno.test("each operation that takes its parameters in the body refuses parameters in the URL, and changes nothing", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await writtenBytes(app.database);
  const bodied = operations.filter(({ method, parameters }) => method !== "GET" && parameters === undefined);
  assert(bodied.length > 200);
  for (const { method, path, runs } of bodied) {
    const refuses = async (query: string, names: readonly string[]): Promise<void> => {
      const { status, text } = await ask(client, method, `${path.replace("{id}", "1")}?${query}`, {});
      const message = [`${method} takes no parameters in the URL. Send them in the body.`];
      assert.equal(status, 400, `${method} ${path}: ${text}`);
      assert.deepEqual(JSON.parse(text), Object.fromEntries(names.map((name) => [name, message])));
    };
    await refuses("status=revoked&ids=1&ids=2", ["status", "ids"]);
    // Clients of NetBox send these with writes of objects; an export in another format would be a surprise.
    if (runs !== undefined) await refuses("format=csv", ["format"]);
  }
  assert.equal(await writtenBytes(app.database), before);
});

Deno.test("a write of an object accepts the parameters that clients of NetBox send with it", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = { name: "Sent with a format" };
  const { status, text } = await ask(
    client,
    "POST",
    "/api/dcim/devices/?format=json&exclude=config_context",
    body,
  );
  assert.equal(status, 201, text);
});
