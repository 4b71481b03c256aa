/** Many PEM texts in one request. */

import assert from "node:assert/strict";
import { managerOf, readerOf, superuser } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { certificate } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { privateKeys } from "../../../support/private_keys.ts";
import { seed } from "../../../support/seed.ts";
import { BULK_IMPORT, creates, importer, KEY_REFUSED, posts } from "./support.ts";

const { fresh, other, byAcme, stored, anonymous } = pki;
const bulk = posts(BULK_IMPORT);
const good = { pem_content: fresh.pem };
const BOTH = ["import", "bulk_operations"];

/** Returns the errors of items by their index. */
function failed(
  body: { failed_certificates: { index: number; errors: Record<string, string[]> }[] },
): unknown {
  return Object.fromEntries(body.failed_certificates.map(({ index, errors }) => [index, errors]));
}

bulk("each item is stored as a certificate", [good, { pem_content: other.pem, tenant: seed.tenants.acme }], {
  ...creates(2),
  json: (body) => {
    assert.deepEqual(Object.keys(body), ["created_count", "certificates"]);
    assert.equal(body.created_count, 2);
    const [first] = body.certificates;
    assert.deepEqual({ ...first, id: 0 }, {
      id: 0,
      common_name: "fresh.acme.example",
      serial_number: "00:F0:01",
      status: "active",
      valid_to: "2026-10-31T23:59:59Z",
    });
  },
});

Deno.test("bulk-import: chain, tenant, location, authority and ACME provider are stored", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = [
    { pem_content: fresh.pem + CHAIN, tenant: seed.tenants.acme, private_key_location: "vault:x" },
    { pem_content: byAcme.pem },
  ];
  const { certificates } = await (await client(BULK_IMPORT, { method: "POST", body })).json();
  const [first, second] = await Promise.all(
    certificates.map(async ({ id }: { id: number }) => (await client(certificate(id))).json()),
  );
  assert.deepEqual(
    [
      first.pem_content,
      first.issuer_chain,
      first.tenant.slug,
      first.private_key_location,
      first.issuing_ca.name,
    ],
    [fresh.pem, CHAIN, "acme", "vault:x", "Acme Internal"],
  );
  assert.deepEqual([second.is_acme, second.acme_provider, second.issuing_ca.name], [
    true,
    "letsencrypt",
    "Let's Encrypt",
  ]);
});

bulk("one invalid item makes the whole import fail, and only this item is named", [
  good,
  { pem_content: "x" },
  {
    pem_content: other.pem,
  },
], {
  json: (body) => {
    assert.equal(body.detail, "1 of 3 certificates failed validation. Nothing was imported.");
    assert.deepEqual(failed(body), {
      1: { pem_content: ["Invalid PEM format or unable to parse certificate: No PEM block in the text."] },
    });
  },
});
const KEY = (await privateKeys()).pkcs8!;
bulk("an item with a private key is one finding among the others, and nothing of it is repeated", [
  good,
  { pem_content: KEY, private_key_location: "x".repeat(501) },
  { pem_content: "x" },
  { pem_content: other.pem, comment: KEY },
  KEY,
], {
  excludes: [KEY.split("\n")[1]!, "xxxxxxxxxx"],
  json: (body) => {
    assert.equal(body.detail, "4 of 5 certificates failed validation. Nothing was imported.");
    assert.deepEqual(failed(body), {
      1: { pem_content: [KEY_REFUSED] },
      2: { pem_content: ["Invalid PEM format or unable to parse certificate: No PEM block in the text."] },
      3: { comment: [KEY_REFUSED] },
      4: { pem_content: [KEY_REFUSED] },
    });
  },
});
bulk("all errors of all items are reported together", [
  { pem_content: "x", tenant: 999 },
  { private_key_location: "x".repeat(501) },
  good,
  { pem_content: stored.acme.pem, tenant: "many", tags: [{ slug: "none" }] },
  { pem_content: 5 },
  "text",
], {
  json: (body) => {
    const errors = failed(body) as Record<string, Record<string, string[]>>;
    const fields = Object.entries(errors).map(([index, one]) => [index, Object.keys(one).sort()]);
    assert.deepEqual(Object.fromEntries(fields), {
      0: ["pem_content", "tenant"],
      1: ["pem_content", "private_key_location"],
      3: ["pem_content", "tags", "tenant"],
      4: ["pem_content"],
      5: ["pem_content"],
    });
    assert.deepEqual(errors[1]?.pem_content, ["This field is required."]);
    assert.deepEqual(errors[3]?.pem_content, [
      `Certificate already exists: www.acme.example (ID: ${seed.certificates.acmeWeb}).`,
    ]);
  },
});
bulk("an existing certificate is named with its id", [{ pem_content: stored.acme.pem }], {
  json: (body) =>
    assert.deepEqual(failed(body), {
      0: {
        pem_content: [`Certificate already exists: www.acme.example (ID: ${seed.certificates.acmeWeb}).`],
      },
    }),
});
bulk("the error about a hidden duplicate says only that it exists", [{
  pem_content: stored.globex.pem,
  tenant: seed.tenants.acme,
}], {
  as: managerOf("acme"),
  excludes: ["www.globex", "ID:"],
  json: (body) => assert.deepEqual(failed(body), { 0: { pem_content: ["Certificate already exists."] } }),
});
bulk("of equal items all but the first are errors", [{ pem_content: other.pem }, good, good, good], {
  json: (body) =>
    assert.deepEqual(failed(body), {
      2: { pem_content: ["Duplicate of item 1 in this batch."] },
      3: { pem_content: ["Duplicate of item 1 in this batch."] },
    }),
});
bulk("two certificates in one item are refused unless one is the other's chain", [
  { pem_content: fresh.pem + other.pem },
], { contains: ["does not belong to the first certificate's chain"] });

bulk("an empty list is refused", [], {
  equals: { detail: "Expected a list with at least one certificate." },
});
bulk("more items than the batch limit are refused", Array(101).fill(good), {
  equals: { detail: "Batch too large: expected at most 100 certificates, not 101." },
});
bulk("the batch limit is a setting", [good, { pem_content: other.pem }], {
  app: { settings: { bulkImportMaxBatchSize: 1 } },
  contains: ["Batch too large"],
});
for (const body of [5, "text", true]) {
  bulk(`${JSON.stringify(body)} is refused as a batch`, JSON.stringify(body), {
    headers: { "content-type": "application/json" },
    contains: ["Expected an object with data"],
  });
}

for (const field of ["pem_content", "private_key_location", "tenant", "anything"]) {
  const key = fresh.key.privateKeyPem;
  bulk(`a private key in ${field} is refused on its item`, [good, { ...good, [field]: key }], {
    json: (body) =>
      assert.deepEqual((failed(body) as Record<string, Record<string, unknown>>)[1]?.[field], [KEY_REFUSED]),
  });
}
bulk("hostile items are refused one by one", [
  { pem_content: "-----BEGIN CERTIFICATE-----\n".repeat(2_000) },
  { pem_content: "-----BEGIN CERTIFICATE-----\n" + "A".repeat(100_000) + "\n-----END CERTIFICATE-----" },
  { pem_content: fresh.pem.replace("MII", "MIJ") },
  JSON.parse('{"__proto__": {"pem_content": "x"}, "constructor": 1}'),
  [[[]]],
  null,
], { json: (body) => assert.deepEqual(Object.keys(failed(body) as object), ["0", "1", "2", "3", "4", "5"]) });

bulk("needs import_certificate and bulk_operations", [good], { ...creates(1), as: importer(BOTH) });
bulk("bulk_operations and the deprecated action add are enough", [good], {
  ...creates(1),
  as: importer(["add", "bulk_operations"]),
  logs: ['"event":"deprecated"'],
});
for (const actions of [["import"], ["bulk_operations"], ["add"], ["view", "change", "delete"]]) {
  bulk(`${actions.join(" and ")} alone is not enough`, [good], { as: importer(actions), status: 403 });
}
bulk("a caller with only view answers 403", [good], { as: readerOf("acme"), status: 403 });
bulk("a read-only token answers 403", [good], { as: superuser({ readOnlyToken: true }), status: 403 });
bulk("without credentials nothing is imported", [good], { as: "nobody", status: 401 });
bulk("one certificate outside the constraints makes the whole import fail", [good, {
  pem_content: anonymous.pem,
}], {
  as: importer(BOTH, { common_name: "fresh.acme.example" }),
  status: 403,
});
bulk("results inside the constraints are stored", [{ ...good, tenant: seed.tenants.acme }], {
  ...creates(1),
  as: managerOf("acme"),
});
