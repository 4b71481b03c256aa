/** Imports record exactly the stored rows in the change log, although they do not read them back. */

import assert from "node:assert/strict";
import { testApp } from "../../../support/app.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { assertReplayable } from "../../../support/replay.ts";
import { seed } from "../../../support/seed.ts";
import { PATHS } from "../../../support/paths.ts";
import { BULK_DATA, BULK_IMPORT, csvOf, IMPORT_FILE, metadata, TYPE } from "./support.ts";

const { fresh, other } = pki;
const tags = [seed.tags.prod, { slug: "prod" }];
const own = { tenant: seed.tenants.acme, tags, private_key_location: " vault:kv/web \ud83d\ude42" };

function file(): FormData {
  const form = new FormData();
  form.append("file", new File([fresh.pem, CHAIN], "bundle.pem"));
  form.append("tenant", "acme");
  form.append("tags", "prod");
  return form;
}

const CALLS: Record<string, [address: string, body: unknown]> = {
  "PEM texts": [BULK_IMPORT, [{ pem_content: fresh.pem + CHAIN, ...own }, { pem_content: other.pem }]],
  "a file": [IMPORT_FILE, file()],
  "PEM, split": [`${PATHS.certificates}import/`, { pem_content: fresh.pem + CHAIN, split: true, ...own }],
  "objects of metadata": [BULK_IMPORT, {
    format: "json",
    data: [
      metadata(1, { tags: ["prod"], sans: ["b.example", "a.example"], status: "revoked" }),
      metadata(2, { key_size: null, tenant: "acme", pem_content: "" }),
    ],
  }],
  // Enough certificates that their common values are written once.
  "rows of CSV": [BULK_DATA, {
    content: csvOf(Array.from({ length: 40 }, (_, row) => metadata(row, { tags: ["prod"] }))),
  }],
};

for (const [what, [address, body]] of Object.entries(CALLS)) {
  Deno.test(`an import of ${what} records exactly what it stores`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const answer = await client(address, { method: "POST", body });
    assert.equal(answer.status, 201, await answer.text());
    await assertReplayable(app.ctx, [TYPE]);
  });
}
