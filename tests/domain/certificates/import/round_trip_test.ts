/** An export can be imported again, and results in the same inventory. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Client, testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
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
        sans: [`${text.replace(/[;\s]/, "")}x`],
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
