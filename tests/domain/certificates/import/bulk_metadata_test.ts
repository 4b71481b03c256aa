/** The other body of bulk-import: metadata objects, with a result for each row. */

import assert from "node:assert/strict";
import { seed } from "../../../support/seed.ts";
import { BULK_IMPORT, creates, csvOf, importer, KEY_REFUSED, metadata, posts } from "./support.ts";
import { pki } from "../../../support/pki.ts";

const bulk = posts(BULK_IMPORT);
const existing = metadata(9, { serial_number: "010002", issuer: "C=US, O=Metadata CA, CN=Issuer 1" });
const data = [metadata(1), metadata(2)];

for (
  const [what, body] of [
    ["a list of objects", { format: "json", data }],
    ["no format", { data }],
    ["objects with cells as CSV has them", {
      format: "csv",
      data: data.map((row) => ({ ...row, sans: "a;b" })),
    }],
    ["CSV as text", { format: "csv", data: csvOf(data) }],
    ["JSON as text", { format: "json", data: JSON.stringify(data) }],
  ] as const
) {
  bulk(`${what}: each row has its result`, body, {
    ...creates(2),
    json: (given) => {
      assert.equal(typeof given.results[0].id, "number");
      assert.deepEqual(given, {
        total: 2,
        created_count: 2,
        skipped_count: 0,
        error_count: 0,
        results: [1, 2].map((row) => ({
          row,
          status: "created",
          id: given.results[row - 1].id,
          common_name: `row-${row}.example`,
        })),
      });
    },
  });
}
bulk("results of skipped rows are in the order of the rows", {
  data: [existing, ...data],
  on_duplicate: "skip",
}, {
  ...creates(2),
  json: ({ total, created_count, skipped_count, results }) => {
    assert.deepEqual([total, created_count, skipped_count], [3, 2, 1]);
    assert.deepEqual(results[0], { row: 1, status: "skipped", common_name: "row-9.example" });
  },
});
bulk("one invalid row makes the whole import fail", {
  data: [...data, metadata(3, { algorithm: "dsa", tenant: "nobody" }), existing],
  on_duplicate: "skip",
}, {
  equals: {
    detail: "Validation failed in 1 row. Nothing was imported.",
    total: 4,
    created_count: 0,
    skipped_count: 3,
    error_count: 1,
    results: [
      ...[1, 2].map((row) => ({
        row,
        status: "skipped",
        common_name: `row-${row}.example`,
        reason: "Not stored, because other rows have errors.",
      })),
      {
        row: 3,
        status: "error",
        common_name: "row-3.example",
        errors: {
          algorithm: ['Invalid algorithm "dsa". Expected one of ecdsa, ed25519, rsa, unknown.'],
          tenant: ['No tenant has the name, slug or ID "nobody".'],
        },
      },
      { row: 4, status: "skipped", common_name: "row-9.example" },
    ],
  },
});
bulk("a duplicate is an error by default", { data: [existing] }, {
  json: ({ results }) =>
    assert.deepEqual(results[0].errors, {
      serial_number: [
        "Certificate already exists: api.acme.example " +
        `(ID: ${seed.certificates.acmeCritical}), with another fingerprint.`,
      ],
    }),
});
bulk("errors of the whole document have row 0", { data: [metadata(1, { colour: "red" })] }, {
  json: ({ total, skipped_count, error_count, results }) => {
    // They are entries of their own, which are not counted as rows.
    assert.deepEqual([total, skipped_count, error_count], [1, 1, 0]);
    assert.deepEqual([results[0].row, Object.keys(results[0].errors)], [0, ["colour"]]);
    assert.equal(results[1].reason, "Not stored, because the document has errors.");
  },
});
bulk("more rows than the limit of tables are refused", {
  data: Array.from({ length: 6 }, (_, index) => metadata(index)),
}, {
  app: { settings: { importMaxRows: 5 } },
  contains: ["Batch too large: the table has more than 5 rows. Import it in parts"],
});
bulk("a list inside the list is refused", { data: [[{ pem_content: pki.fresh.pem }]] }, {
  contains: ["Expected an object with the row's values."],
});
for (
  const [what, body, field] of [
    ["an unknown format", { data, format: "auto" }, "format"],
    ["an unknown policy", { data, on_duplicate: "x" }, "on_duplicate"],
    ["data that is a number", { data: 5 }, "data"],
    ["no rows", { data: [] }, "data"],
  ] as const
) {
  bulk(`${what} is refused`, body, {
    json: ({ results }) => assert.deepEqual([results[0].row, Object.keys(results[0].errors)], [0, [field]]),
  });
}
bulk("a table without data is refused", { format: "json" }, {
  json: ({ results }) => assert.deepEqual(results[0].errors, { data: ["This field is required."] }),
});
bulk("a private key in a row is refused", { data: [metadata(1, { issuer: pki.fresh.key.privateKeyPem })] }, {
  json: ({ results }) => assert.deepEqual(results[0].errors, { issuer: [KEY_REFUSED] }),
});
bulk("a private key in an unknown column is refused", {
  data: [metadata(1, { created: pki.fresh.key.privateKeyPem })],
}, { contains: [KEY_REFUSED] });
bulk("a private key next to the rows is refused", { data, comment: pki.fresh.key.privateKeyPem }, {
  contains: [KEY_REFUSED],
});
bulk("metadata needs both permissions, too", { data }, { as: importer(["import"]), status: 403 });
