/** An export can be imported again, and results in the same inventory. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Client, testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { buildRequest, TestCa } from "../../../support/test_ca/mod.ts";
import { BULK_DATA, metadata } from "./support.ts";

/** All fields that both exports and imports have, and some others. */
const FIELDS = [
  "id",
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
  "key_size",
  "status",
  "sans",
  "tenant",
  "private_key_location",
  "tags",
  "issuing_ca",
  "is_acme",
  "acme_provider",
  "acme_auto_renewal",
  "days_remaining",
  "chain_status",
  "last_updated",
  "pem_content",
  "issuer_chain",
];
/** Fields that the database sets itself. */
const OWN = ["id", "last_updated"];

async function exported(client: Client, query: string): Promise<string> {
  const answer = await client(`${PATHS.certificates}export/?${query}`);
  assert.equal(answer.status, 200);
  return await answer.text();
}

async function inventory(client: Client): Promise<Record<string, unknown>[]> {
  const rows = JSON.parse(await exported(client, `format=json&fields=${FIELDS}`)) as Record<
    string,
    unknown
  >[];
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.includes(name))));
}

const dangerous = [
  "=1+1",
  "'=1+1",
  "''@x",
  "@cmd",
  "+49",
  "-1",
  "'plain",
  "tab\there",
  "a;b",
  'q"q',
  "line\nline",
];

for (const format of ["csv", "json"]) {
  Deno.test(`bulk-data-import: an export as ${format} is imported as the same inventory`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const hard = dangerous.map((text, index) =>
      metadata(index, {
        common_name: `${text}.example`,
        private_key_location: text,
        // No name has the other characters.
        sans: [`${text.replaceAll(/[;\s'"=+]/g, "")}x`],
      })
    );
    const body = { content: JSON.stringify(hard) };
    assert.equal((await client(BULK_DATA, { method: "POST", body })).status, 201);
    // Certificates of different issuers differ, although their serial numbers are the same.
    const own = { fingerprint_sha256: "CD".repeat(32) };
    const twin = `${PATHS.certificates}${seed.certificates.twin}/`;
    assert.equal((await client(twin, { method: "PATCH", body: own })).status, 200);
    const [before, document] = [
      await inventory(client),
      await exported(client, `format=${format}&fields=${FIELDS}`),
    ];
    assert(before.length > dangerous.length);
    await app.database.write((tx) => tx.run(sql`DELETE FROM certificates`));
    const answer = await client(BULK_DATA, { method: "POST", body: { content: document } });
    assert.equal(answer.status, 201, (await answer.text()).slice(0, 2_000));
    assert.deepEqual(await inventory(client), before);
  });

  Deno.test(`bulk-data-import: an export as ${format} with default fields imports nothing new into the inventory that it came from`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const document = await exported(client, `format=${format}`);
    const answer = await client(BULK_DATA, {
      method: "POST",
      body: { content: document, on_duplicate: "skip" },
    });
    const { created_count, skipped_count } = await answer.json();
    assert.deepEqual([answer.status, created_count], [201, 0]);
    assert(skipped_count > 0);
  });
}

/** Names of a certificate that would be divided, or lose their prefix, if a person had written them. */
const HOSTILE = [
  "a.example, DNS:b.example",
  "a.example;c.example",
  "d.example e.example",
  "plain.example",
];
const root = await TestCa.root({ cn: "Names Root" });
const odd = await root.issue({ cn: "plain.example", sans: HOSTILE });

Deno.test("names of a certificate with separators are kept when they are sent back, and by imports with its PEM", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const made = await client(`${PATHS.certificates}import/`, {
    method: "POST",
    body: { pem_content: odd.pem },
  });
  const { id, sans, ...fields } = await made.json();
  assert.deepEqual(sans, HOSTILE);
  const path = `${PATHS.certificates}${id}/`;
  for (const [method, body] of [["PATCH", { sans }], ["PUT", { ...fields, sans }]] as const) {
    const response = await client(path, { method, body });
    assert.equal(response.status, 200, await response.clone().text());
    assert.deepEqual((await response.json()).sans, HOSTILE, method);
  }
  const added = await client(path, {
    method: "PATCH",
    body: { sans: [...sans, "DNS:g.example, h.example"] },
  });
  assert.deepEqual((await added.json()).sans, [...HOSTILE, "g.example", "h.example"]);
  await client(path, { method: "PATCH", body: { sans } });

  const named = `ids=${id}&format=csv&fields=${FIELDS}`;
  const [whole, metadataOnly] = [
    await exported(client, named),
    await exported(client, named.replace(",pem_content,issuer_chain", "")),
  ];
  await client(path, { method: "DELETE" });
  const refused = await client(BULK_DATA, { method: "POST", body: { content: metadataOnly } });
  const { errors } = await refused.json();
  assert.deepEqual([refused.status, errors.map(({ field }: { field: string }) => field)], [400, ["sans"]]);
  assert.match(errors[0].message, /Expected one name, or several/);
  assert.equal((await client(BULK_DATA, { method: "POST", body: { content: whole } })).status, 201);
  const { results } = await (await client(`${PATHS.certificates}?common_name__ie=plain.example`)).json();
  assert.deepEqual(results.map((one: { sans: string[] }) => one.sans), [HOSTILE]);
});

Deno.test("a request keeps the names of its PEM, and divides others", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { pem } = await buildRequest({ cn: "plain.example", sans: HOSTILE });
  const made = await client(PATHS.requests, { method: "POST", body: { pem_content: pem } });
  const { id, sans } = await made.json();
  assert.deepEqual(sans, HOSTILE);
  const path = `${PATHS.requests}${id}/`;
  assert.deepEqual((await (await client(path, { method: "PATCH", body: { sans } })).json()).sans, HOSTILE);
  const others = { sans: ["DNS:g.example, h.example"] };
  const { sans: divided } = await (await client(path, { method: "PATCH", body: others })).json();
  assert.deepEqual(divided, ["g.example", "h.example"]);
});
