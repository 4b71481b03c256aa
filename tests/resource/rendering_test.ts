/** Objects are rendered as they are stored, whatever their texts and however their rows are read. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { SCHEMA_RESOURCES } from "../../src/graphql/mod.ts";
import { testApp } from "../support/app.ts";
import { defineCustomFields } from "../support/custom_fields.ts";
import { PATHS } from "../support/paths.ts";
import { metadata, NEXT_CERTIFICATE, storeCertificates } from "../support/stored.ts";
import { seed } from "../support/seed.ts";

const HOSTILE = [
  '"',
  "\\",
  '\\",\\"',
  "a\u0001\u001e\u001fb",
  "a\bb\fc\td\re\nf",
  "\u007f",
  "a\u2028\u2029b",
  "/",
  "é😀",
  "],[",
];
const anyText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", minLength: 1, maxLength: 30 }).map((text) => `x${text.replaceAll("\0", "")}x`),
);
const anyTime = fc.integer({ min: Date.UTC(1999, 0), max: Date.UTC(2049, 0) });
const anyCertificate = fc.record({
  common_name: anyText,
  issuer: anyText,
  description: fc.oneof(fc.constant(""), anyText),
  sans: fc.uniqueArray(anyText.map((text) => `dirName:CN=${text.replace(/[\p{C}\p{Z}\s]+/gu, "-")}`), {
    maxLength: 4,
  }),
  key_size: fc.option(fc.integer({ min: 1, max: 16_384 })),
  valid_from: anyTime,
  lifetime: fc.integer({ min: 0, max: 400 * 86_400_000 }),
  tenant: fc.option(fc.constantFrom(...Object.values(seed.tenants))),
  story: fc.option(anyText),
  cost: fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
  ),
});

/** Returns the rendered time, by the platform's own function. */
function written(at: number): string {
  const [seconds, millis] = new Date(at).toISOString().slice(0, -1).split(".");
  return millis === "000" ? `${seconds}Z` : `${seconds}.${millis}000Z`;
}

Deno.test("A list has every text, time, number and null as it was stored, in one or many rows of the database", async () => {
  await using app = await testApp();
  await defineCustomFields(app);
  const given = fc.sample(anyCertificate, { seed: 18, numRuns: 60 });
  const bodies = given.map((
    { lifetime, story, cost, valid_from, ...rest },
    index,
  ) =>
    metadata(index + 1, {
      ...rest,
      valid_from: new Date(valid_from).toISOString(),
      valid_to: new Date(valid_from + lifetime).toISOString(),
      custom_fields: { story, cost },
    })
  );
  await storeCertificates(app, bodies);
  const client = await app.as("superuser");
  const from = `${PATHS.certificates}?ordering=id&archived=any&id__gte=${NEXT_CERTIFICATE}&limit=`;
  const text = await (await client(`${from}60`)).text();
  const { results } = JSON.parse(text);
  assert.equal(results.length, given.length);
  for (const [index, row] of results.entries()) {
    const {
      common_name,
      issuer,
      description,
      sans,
      key_size,
      valid_from,
      lifetime,
      tenant,
      story,
      cost,
    } = given[index]!;
    const expected = { common_name, issuer, description, sans, key_size };
    const shown = Object.fromEntries(
      Object.keys(expected).map((name) => [name, row[name]]),
    );
    assert.deepEqual(shown, expected);
    assert.deepEqual([row.valid_from, row.valid_to], [
      written(valid_from),
      written(valid_from + lifetime),
    ]);
    assert.equal(row.tenant?.id ?? null, tenant);
    assert.deepEqual([row.custom_fields.story, row.custom_fields.cost], [
      story,
      Object.is(cost, -0) ? 0 : cost,
    ]);
    assert.equal(
      row.display,
      `${common_name} (expires: ${written(valid_from + lifetime).slice(0, 10)})`,
    );
    const now = app.clock.now();
    const days = Math.floor((valid_from + lifetime) / 86_400_000) -
      Math.floor(now / 86_400_000);
    assert.equal(row.days_remaining, days);
    assert.equal(row.is_expired, valid_from + lifetime < now);
  }
  // The form of JSON.stringify: no other escapes, no spaces.
  assert.equal(text, JSON.stringify(JSON.parse(text)));
  // This number of rows is not read as one row.
  const many = await (await client(`${from}1000`)).text();
  assert.equal(many, text);
});

Deno.test("Lists of every resource are the JSON that JSON.stringify writes, with the same objects as single reads", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const { resource } of SCHEMA_RESOURCES) {
    const text = await (await client(`/api/${resource.path}/?limit=5`)).text();
    assert.equal(text, JSON.stringify(JSON.parse(text)), resource.path);
    for (const listed of JSON.parse(text).results) {
      const one = await (await client(`/api/${resource.path}/${listed.id}/`))
        .text();
      const object = JSON.parse(one);
      assert.equal(one, JSON.stringify(object));
      const names = Object.keys(listed);
      assert.deepEqual(names.slice(0, 4), [
        "id",
        "url",
        "display_url",
        "display",
      ]);
      assert.equal(
        JSON.stringify(listed),
        JSON.stringify(
          Object.fromEntries(
            Object.entries(object).filter(([name]) => names.includes(name)),
          ),
        ),
      );
    }
  }
});
