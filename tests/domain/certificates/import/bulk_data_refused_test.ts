/** Refused tables: broken, oversized, hostile, or with data that are never stored. */

import assert from "node:assert/strict";
import { pki } from "../../../support/pki.ts";
import { BULK_DATA, csvOf, errorLines, type Found, KEY_REFUSED, metadata, posts } from "./support.ts";

const bulk = posts(BULK_DATA);
const one = metadata(1);

const NOT_READ: [what: string, content: string, message: RegExp][] = [
  ["an empty document", "", /^0 content Expected at least one row of data\.$/],
  [
    "a header alone",
    "common_name,serial_number,issuer,valid_from,valid_to,fingerprint_sha256,algorithm",
    /^0 content Expected at least one row/,
  ],
  ["an empty list", "[]", /^0 content Expected at least one row/],
  ["malformed JSON", "[{]", /^0 content The text is not valid JSON/],
  ["an object", "{}", /^0 content Expected a JSON list of objects/],
  [
    "a missing column",
    csvOf([metadata(1)]).replaceAll('"rsa",', "").replace("algorithm,", ""),
    /^0 algorithm The column "algorithm" is missing\.$/,
  ],
  ["an unknown column", csvOf([metadata(1, { colour: "red" })]), /^0 colour Unknown column "colour"\./],
  [
    "an unknown name",
    JSON.stringify([metadata(1), metadata(2, { colour: "red" })]),
    /^0 colour Unknown column "colour"\./,
  ],
  ["a quote that does not end", csvOf([metadata(1)]) + '"', /^2 __all__ A quoted cell is not closed/],
  ["a row with too few cells", csvOf([metadata(1)]) + "a,b\n", /^2 __all__ The row has 2 cells/],
  ["a row that is not an object", JSON.stringify([metadata(1), 5]), /^2 __all__ Expected an object/],
];
for (const [what, content, message] of NOT_READ) {
  bulk(`${what} is reported once`, { content }, {
    json: (body) => {
      assert.equal(body.errors.length, 1, errorLines(body).join("\n"));
      assert.match(errorLines(body)[0] ?? "", message);
    },
  });
}
bulk("errors of the document do not hide errors of its rows", {
  content: csvOf([metadata(1, { colour: "red", algorithm: "dsa" })]),
}, {
  json: (body) =>
    assert.deepEqual(body.errors.map(({ row, field }: Found) => `${row} ${field}`), [
      "0 colour",
      "1 algorithm",
    ]),
});
bulk("more rows than the limit of tables are refused", {
  content: csvOf(Array.from({ length: 102 }, (_, index) => metadata(index))),
}, {
  app: { settings: { importMaxRows: 101, bulkImportMaxBatchSize: 1 } },
  json: (body) => {
    assert.equal(
      body.detail,
      "Batch too large: the table has more than 101 rows. " +
        "Import it in parts, or raise CERTMGR_IMPORT_MAX_ROWS.",
    );
    assert.deepEqual(errorLines(body), [`0 content ${body.detail}`]);
  },
});

for (
  const [what, body, field, message] of [
    ["missing content", {}, "content", /^This field is required\.$/],
    ["content that is not text", { content: [one] }, "content", /^Expected text, not \[/],
    [
      "an unknown format",
      { content: "x", format: "xml" },
      "format",
      /^Expected one of auto, csv, json, yaml, pem, not "xml"\.$/,
    ],
    [
      "an unknown policy",
      { content: "x", on_duplicate: "merge" },
      "on_duplicate",
      /^Expected one of error, skip/,
    ],
    ["a list as the body", [one], "content", /^Expected an object, not a list\.$/],
    ["CSV that is said to be JSON", { content: csvOf([one]), format: "json" }, "content", /not valid JSON/],
  ] as const
) {
  bulk(`${what} is refused`, body, {
    json: (given) => {
      assert.equal(given.detail, given.errors[0].message);
      assert.deepEqual([given.errors.length, given.errors[0].row, given.errors[0].field], [1, 0, field]);
      assert.match(given.errors[0].message, message);
    },
  });
}

for (
  const [column, entry] of [
    ["assignments", "dcim.device:absent"],
    ["assignments", "no type"],
    ["assignments", 5],
    ["devices", "absent"],
    ["devices", 5],
    ["contacts", "absent"],
    ["contacts", "absent@acme.example"],
    ["contacts", []],
    ["tags", "absent"],
    ["tags", 5],
    ["sans", "not a name"],
    ["sans", 5],
  ] as const
) {
  const entries = Array.from({ length: 100 }, (_, n) => typeof entry === "string" ? `${entry} ${n}` : entry);
  bulk(`a hundred times ${JSON.stringify(entry)} in ${column} are at most 21 errors`, {
    content: JSON.stringify([metadata(1, { [column]: entries })]),
  }, {
    json: ({ errors }) => {
      assert.ok(errors.length >= 1 && errors.length <= 21, `${errors.length}`);
      assert.ok(errors.every(({ field }: Found) => field === column), errorLines({ errors }).join("\n"));
    },
  });
}

const key = pki.fresh.key.privateKeyPem;
for (
  const [what, content, expected] of [
    [
      "a cell",
      csvOf([metadata(1), metadata(2, { private_key_location: key })]),
      `2 private_key_location ${KEY_REFUSED}`,
    ],
    ["a cell of JSON", JSON.stringify([metadata(1, { issuer: key })]), `1 issuer ${KEY_REFUSED}`],
    ["a list", JSON.stringify([metadata(1, { sans: ["a", key] })]), `1 sans ${KEY_REFUSED}`],
    ["a column that is skipped", csvOf([metadata(1, { id: key })]), `0 content ${KEY_REFUSED}`],
    ["an unknown column", csvOf([metadata(1, { colour: key })]), `0 content ${KEY_REFUSED}`],
    ["a column's name", JSON.stringify([metadata(1, { [key]: 1 })]), `0 content ${KEY_REFUSED}`],
    ["a broken document", `[{"issuer": ${JSON.stringify(key)}`, `0 content ${KEY_REFUSED}`],
    ["prose", key, `0 content ${KEY_REFUSED}`],
  ] as const
) {
  bulk(`a private key in ${what} is refused, and never shown`, { content }, {
    excludes: [key.slice(40, 80)],
    json: (body) =>
      assert.deepEqual(errorLines(body).map((text) => text.replace("1 id", "0 content")), [expected]),
  });
}

const deep = "[".repeat(20_000) + "]".repeat(20_000);
bulk("deeply nested values are refused", {
  content:
    `[{"common_name": ${deep}, "tenant": ${deep}, "valid_from": ${deep}, "sans": ${deep}, "colour": ${deep}}]`,
}, { contains: ["Expected a plain value, not a nested one.", '"row":0,"field":"colour"'] });
bulk("names of prototypes are ordinary names", {
  content: `[{"__proto__": 1, "constructor": 2, "toString": 3}]`,
}, { contains: ['"field":"__proto__"', '"field":"constructor"', '"field":"common_name"'] });
bulk("NUL, lone surrogates and SQL keywords are ordinary values", {
  content: JSON.stringify([
    metadata(1, { common_name: "a\0b", issuer: "'; DROP TABLE certificates; --", tenant: "' OR 1=1" }),
  ]),
}, {
  json: (body) =>
    assert.deepEqual(body.errors.map(({ field }: Found) => field).sort(), ["common_name", "tenant"]),
});
