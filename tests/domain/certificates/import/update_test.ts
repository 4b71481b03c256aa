/** Imports that update certificates which exist already. */

import assert from "node:assert/strict";
import { granted, type GrantSpec, superuser } from "../../../support/actors.ts";
import { type Client, testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { pki } from "../../../support/pki.ts";
import { BULK_DATA, BULK_IMPORT, csvOf, IMPORT_FILE, metadata, TYPE } from "./support.ts";

const IMPORT = `${PATHS.certificates}import/`;
const { fresh } = pki;

/** Returns a row of a spreadsheet about the certificate, with dates only and another notation of the issuer. */
function rowOf(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    common_name: "fresh.acme.example",
    serial_number: fresh.certificate.serial.toHex(),
    issuer: "Acme Internal Issuing",
    valid_from: day(fresh.certificate.validity.notBefore),
    valid_to: day(fresh.certificate.validity.notAfter),
    fingerprint_sha256: fresh.certificate.fingerprintSha256,
    algorithm: "unknown",
    private_key_location: "vault:a",
    ...more,
  };
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

// deno-lint-ignore no-explicit-any -- answers of several operations
type Answer = { status: number; body: any };

async function post(client: Client, path: string, body: unknown): Promise<Answer> {
  const answer = await client(path, { method: "POST", body });
  return { status: answer.status, body: await answer.json() };
}

async function get(
  client: Client,
  id: number,
): Promise<Record<string, unknown>> {
  return await (await client(`${PATHS.certificates}${id}/`)).json();
}

async function createRow(
  client: Client,
  more: Record<string, unknown> = {},
): Promise<number> {
  const { body } = await post(client, BULK_DATA, {
    content: JSON.stringify([rowOf(more)]),
  });
  return body.certificates[0].id;
}

Deno.test("import: a PEM completes the certificate with its fingerprint that CSV has stored; a second import changes nothing", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const id = await createRow(client);
  const input = {
    pem_content: fresh.pem,
    tenant: { slug: "acme" },
    on_duplicate: "update",
  };
  const { status, body } = await post(client, IMPORT, input);
  assert.deepEqual([status, body.created_count, body.updated_count], [
    200,
    0,
    1,
  ]);
  assert.deepEqual(body.results, [{
    row: 0,
    status: "updated",
    id,
    common_name: "fresh.acme.example",
  }]);
  const after = await get(client, id);
  assert.equal(after.pem_content, fresh.pem);
  assert.equal(after.pem_matches, true);
  assert.equal(after.algorithm, fresh.certificate.publicKey.algorithm);
  assert.equal(
    after.valid_to,
    `${new Date(fresh.certificate.validity.notAfter).toISOString().slice(0, 19)}Z`,
  );
  // Existing values are kept.
  assert.deepEqual([after.issuer, after.private_key_location], [
    "Acme Internal Issuing",
    "vault:a",
  ]);
  assert.equal((after.tenant as { slug: string }).slug, "acme");
  const again = await post(client, IMPORT, input);
  assert.deepEqual([
    again.status,
    again.body.updated_count,
    again.body.unchanged_count,
  ], [200, 0, 1]);
  assert.equal((await get(client, id)).last_updated, after.last_updated);
});

Deno.test("bulk-data-import: update fills missing values only, and replaces with overwrite; each row has its result", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await post(client, BULK_DATA, {
    content: JSON.stringify([
      metadata(1, { private_key_location: "old" }),
      metadata(2),
    ]),
  });
  const rows = [
    metadata(1, {
      private_key_location: "new",
      comments: "Seen",
      status: "revoked",
    }),
    metadata(2),
    metadata(3),
    metadata(1, { private_key_location: "other" }),
  ];
  const filled = await post(client, BULK_DATA, {
    content: csvOf(rows),
    on_duplicate: "update",
  });
  assert.equal(filled.status, 201);
  const {
    created_count,
    updated_count,
    unchanged_count,
    skipped_count,
    results,
  } = filled.body;
  assert.deepEqual([
    created_count,
    updated_count,
    unchanged_count,
    skipped_count,
  ], [1, 1, 1, 1]);
  assert.deepEqual(results.map((row: { status: string }) => row.status), [
    "updated",
    "unchanged",
    "created",
    "skipped",
  ]);
  assert.equal(results[3].reason, "Duplicate of row 1 in this batch.");
  const first = await get(client, results[0].id);
  assert.deepEqual([first.private_key_location, first.comments, first.status], [
    "old",
    "Seen",
    "active",
  ]);
  const replaced = await post(client, BULK_IMPORT, {
    data: rows.slice(0, 2),
    on_duplicate: "update",
    overwrite: true,
  });
  assert.deepEqual([
    replaced.status,
    replaced.body.total,
    replaced.body.updated_count,
  ], [201, 2, 1]);
  const after = await get(client, results[0].id);
  assert.deepEqual([after.private_key_location, after.status], [
    "new",
    "revoked",
  ]);
});

Deno.test("import-file: update in a form and split PEM fill missing values", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const id = await createRow(client);
  const form = new FormData();
  form.append("file", new File([fresh.der as BlobPart], "fresh.der"));
  form.append("on_duplicate", "update");
  form.append("tags", "pci");
  const { status, body } = await post(client, IMPORT_FILE, form);
  assert.deepEqual([status, body.updated_count], [200, 1]);
  const { tags, pem_matches } = await get(client, id);
  assert.deepEqual([
    (tags as { slug: string }[]).map(({ slug }) => slug),
    pem_matches,
  ], [["pci"], true]);
});

Deno.test("update: a PEM with another fingerprint is refused, and stored with overwrite", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const id = await createRow(client, {
    fingerprint_sha256: "0".repeat(64),
    issuer: fresh.certificate.issuer.text,
  });
  const input = { pem_content: fresh.pem, on_duplicate: "update" };
  const refused = await post(client, IMPORT, input);
  assert.equal(refused.status, 400);
  assert.match(
    refused.body.pem_content[0],
    /^Certificate \d+ has another fingerprint\. Use overwrite to replace its values\.$/,
  );
  assert.equal((await get(client, id)).pem_content, "");
  assert.equal(
    (await post(client, IMPORT, { ...input, overwrite: true })).status,
    200,
  );
  const after = await get(client, id);
  assert.deepEqual([after.pem_content, after.pem_matches], [fresh.pem, true]);
});

Deno.test("overwrite without update is refused with its name", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const message = 'overwrite requires on_duplicate "update", not "skip".';
  const choice = { on_duplicate: "skip", overwrite: true };
  const pem = await post(client, IMPORT, { pem_content: fresh.pem, ...choice });
  assert.deepEqual([pem.status, pem.body], [400, { overwrite: [message] }]);
  const data = await post(client, BULK_DATA, {
    content: JSON.stringify([metadata(1)]),
    ...choice,
  });
  assert.deepEqual([data.status, data.body.errors], [400, [{
    row: 0,
    field: "overwrite",
    message,
  }]]);
});

const CONSTRAINED: readonly GrantSpec[] = [
  { types: [TYPE], actions: ["view", "import", "bulk_operations"] },
  { types: ["tenancy.tenant", "extras.tag"], actions: ["view"] },
];

Deno.test("update needs the action change, for the certificate before and after it", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  await post(admin, BULK_DATA, {
    content: JSON.stringify([
      metadata(1, { tenant: "acme" }),
      metadata(2, { tenant: "globex" }),
    ]),
  });
  const update = { on_duplicate: "update", overwrite: true };
  const rows = (...given: Record<string, unknown>[]): unknown => ({
    content: JSON.stringify(given),
    ...update,
  });

  const none = await app.as(granted(CONSTRAINED, { username: "importer" }));
  assert.equal(
    (await post(none, BULK_DATA, rows(metadata(1, { comments: "x" })))).status,
    403,
  );

  const acme = await app.as(
    granted([...CONSTRAINED, {
      types: [TYPE],
      actions: ["change"],
      constraints: { tenant__slug: "acme" },
    }], { username: "acme-editor" }),
  );
  assert.equal(
    (await post(acme, BULK_DATA, rows(metadata(1, { comments: "x" })))).status,
    201,
  );
  const other = await post(
    acme,
    BULK_DATA,
    rows(metadata(2, { comments: "x" })),
  );
  assert.equal(other.status, 400);
  assert.match(
    other.body.errors[0].message,
    /^Your permissions do not allow changing certificate \d+\.$/,
  );
  // Outside the rows that the caller may change.
  const moved = await post(
    acme,
    BULK_DATA,
    rows(metadata(1, { tenant: "globex" })),
  );
  assert.equal(moved.status, 403);
});

Deno.test("update: a hidden certificate is not changed, and the message reveals nothing about it", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  const hidden = metadata(1, {
    tenant: "globex",
    common_name: "secret.globex.example",
  });
  await post(admin, BULK_DATA, { content: JSON.stringify([hidden]) });
  const acme = await app.as(
    granted([
      {
        types: [TYPE],
        actions: ["view", "change"],
        constraints: { tenant__slug: "acme" },
      },
      { types: [TYPE], actions: ["import", "bulk_operations"] },
      { types: ["tenancy.tenant"], actions: ["view"] },
    ], { username: "acme" }),
  );
  const ask = (row: Record<string, unknown>): ReturnType<typeof post> =>
    post(acme, BULK_DATA, {
      content: JSON.stringify([row]),
      on_duplicate: "update",
      overwrite: true,
    });
  const same = await ask(metadata(1, { comments: "x" }));
  assert.deepEqual(same.body.errors, [{
    row: 1,
    field: "serial_number",
    message: "Certificate already exists.",
  }]);
  // The same fingerprint with another identity is a new certificate, as if the hidden one did not exist.
  const twin = await ask(metadata(1, { serial_number: "ab" }));
  assert.deepEqual([twin.status, twin.body.created_count], [201, 1]);
});

Deno.test("update: as many statements for 2 certificates as for 50", async () => {
  const counts: number[] = [];
  for (const count of [2, 50]) {
    await using app = await testApp();
    const client = await app.as(superuser({}));
    const rows = (more: Record<string, unknown>): string =>
      csvOf(Array.from({ length: count }, (_, index) => metadata(index, more)));
    await post(client, BULK_DATA, { content: rows({}) });
    const before = app.database.statements;
    const { status, body } = await post(client, BULK_DATA, {
      content: rows({ comments: "Seen", tenant: "acme", tags: "pci" }),
      on_duplicate: "update",
    });
    assert.deepEqual([status, body.updated_count], [201, count]);
    counts.push(app.database.statements - before);
  }
  assert.equal(counts[0], counts[1], counts.join());
});
