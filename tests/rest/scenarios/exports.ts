/** Exports: permissions, formats and refusals. The formats themselves are tested in tests/formats. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { auditor, granted, readerOf, superuser } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const EXPORT = `${PATHS.certificates}export/`;
const { certificates: ids } = seed;
const CSV = "text/csv; charset=utf-8";
const YAML = "application/x-yaml; charset=utf-8";
const PEM = "application/x-pem-file; charset=utf-8";

const DEFAULT_FIELDS = [
  "id",
  "common_name",
  "serial_number",
  "fingerprint_sha256",
  "issuer",
  "valid_from",
  "valid_to",
  "days_remaining",
  "algorithm",
  "key_size",
  "status",
  "tenant",
  "sans",
];

type Rows = Record<string, unknown>[];

function exports(title: string, query: string, expected: Partial<Scenario>): void {
  scenario(`Export: ${title}`, { as: "superuser", get: `${EXPORT}?${query}`, status: 200, ...expected });
}

function idsOf(rows: Rows): unknown[] {
  return rows.map((row) => row.id);
}

exports("JSON with the default fields, tenants by name, datetimes without a zone", "", {
  answers: { "content-disposition": /^attachment; filename="certificates\.json"/ },
  json: (rows: Rows) => {
    assert.equal(rows.length, 12);
    assert.deepEqual(Object.keys(rows[0] as object), DEFAULT_FIELDS);
    assert.deepEqual([rows[0]?.tenant, rows[0]?.valid_to], ["Acme Corp", "2026-10-31T23:59:59"]);
    assert.deepEqual(rows[1]?.sans, ["api.acme.example", "API-2.acme.example", "IP:192.0.2.1"]);
  },
});
exports("requested fields are in their order", "fields=expiry_status&fields=id,assignment_count&ids=1", {
  equals: [{ expiry_status: "ok", id: 1, assignment_count: 1 }],
});
exports(
  "every extended field can be requested",
  `ids=1&fields=${
    [
      "is_expired",
      "is_expiring_soon",
      "expiry_status",
      "private_key_location",
      "assignment_count",
      "created",
      "last_updated",
    ]
      .join("&fields=")
  }`,
  {
    json: ([row]: Rows) => {
      assert.deepEqual([row?.is_expired, row?.private_key_location], [false, "vault:acme/www"]);
      assert.match(String(row?.created), /^2026-06-14T12:00:\d\d$/);
    },
  },
);
exports("include_pem adds the PEM to JSON", "ids=1&include_pem=true&fields=id", {
  equals: [{ id: 1, pem_content: pki.stored.acme.pem }],
});
exports(
  "filters select the same rows as in a list",
  "status=active&tenant_id=1&valid_to__lt=2026-06-30&fields=id",
  {
    json: (rows: Rows) => assert.deepEqual(idsOf(rows), [ids.acmeCritical, ids.acmeExpired]),
  },
);
exports("ids and filters are AND", "ids=1,2,6&tenant=acme&fields=id", {
  json: (rows: Rows) => assert.deepEqual(idsOf(rows), [1, 2]),
});
exports("hidden and missing ids are left out", "ids=1&ids=6&ids=999&fields=id", {
  as: readerOf("acme"),
  equals: [{ id: 1 }],
});
exports("it has only what the caller may view", "fields=id", {
  as: readerOf("globex"),
  json: (rows: Rows) => assert.deepEqual(idsOf(rows), [6, 7, 8, 9]),
});
exports(
  "hidden related objects are hidden in it, too",
  "fields=tenant,tags,issuing_ca,assignment_count&ids=1",
  {
    as: granted([{ types: ["certmgr.certificate"], actions: ["view"] }]),
    equals: [{ tenant: null, tags: [], issuing_ca: null, assignment_count: 0 }],
  },
);
exports(
  "it has the endpoints of a certificate, without hidden ones",
  "fields=discovered_via,endpoint_count,first_seen,last_seen&ids=1",
  {
    as: granted([{ types: ["certmgr.certificate"], actions: ["view"] }]),
    equals: [{ discovered_via: "", endpoint_count: 0, first_seen: null, last_seen: null }],
  },
);
exports("it has the time when a certificate was last seen", `fields=first_seen,last_seen&ids=1`, {
  json: ([row]: Rows) => {
    for (const name of ["first_seen", "last_seen"]) {
      assert.match(String(row?.[name]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    }
  },
});
exports("an export without rows is an empty list", "ids=999", { equals: [] });
exports("an empty list of ids exports nothing", "ids=", { equals: [] });
exports("an auditor may export everything", "fields=id", {
  as: auditor(),
  json: (rows: Rows) => assert.equal(rows.length, 12),
});
exports("a read-only token may export", "ids=1&fields=id", {
  as: superuser({ readOnlyToken: true }),
  equals: [{ id: 1 }],
});
scenario("Export: a read-only token may not export by POST", {
  as: superuser({ readOnlyToken: true }),
  post: EXPORT,
  body: { ids: [1] },
  status: 403,
  contains: ["read-only"],
});
exports("without view it answers 403", "", {
  as: granted([{ types: ["certmgr.certificate"], actions: ["change", "import"] }]),
  status: 403,
});
exports("without credentials it answers 401", "", { as: "nobody", status: 401 });

exports(
  "CSV has a header, one row per certificate and names joined by semicolons",
  "format=csv&ids=2&fields=id,common_name,sans,tenant,key_size",
  {
    type: CSV,
    contains: [
      "id,common_name,sans,tenant,key_size\r\n" +
      "2,api.acme.example,api.acme.example;API-2.acme.example;IP:192.0.2.1,Acme Corp,2048\r\n",
    ],
  },
);
exports("CSV without rows is a header", "format=csv&ids=999&fields=id,status", {
  type: CSV,
  contains: ["id,status\r\n"],
});
exports("YAML has the same values as JSON", "format=yaml&fields=id,common_name,serial_number,sans&ids=11", {
  type: YAML,
  contains: ["id: 11"],
});
exports("PEM has comments, the certificate and its chain", "format=pem&ids=1", {
  type: PEM,
  contains: [pki.stored.acme.pem.trim(), pki.issuing.pem.trim(), "www.acme.example", "0A:1B:2C"],
});
exports("PEM may leave out the chain", "format=pem&ids=1&include_chain=false", {
  type: PEM,
  contains: [pki.stored.acme.pem.trim()],
  excludes: [pki.issuing.pem.trim()],
});

for (
  const [query, name, message] of [
    ["format=xml", "format", 'Expected one of csv, json, yaml, pem, not "xml".'],
    ["format=__proto__", "format", /^Expected one of/],
    ["fields=id,serial", "fields", /^Unknown field "serial"\./],
    ["fields=password", "fields", /^Unknown field/],
    ["fields=__proto__", "fields", /^Unknown field/],
    ["ids=1,x", "ids", 'Expected whole numbers, not "x".'],
    ["ids=-1", "ids", 'Expected whole numbers, not "-1".'],
    ["ids=1e400", "ids", 'Expected whole numbers, not "1e400".'],
    ["include_pem=maybe", "include_pem", 'Expected true or false, not "maybe".'],
    ["include_chain=2", "include_chain", 'Expected true or false, not "2".'],
    ["stauts=active", "stauts", "Unknown filter. Did you mean “status”?"],
    ["status=gone", "status", /not “gone”\.$/],
    ["limit=5", "limit", /^Unknown filter/],
  ] as const
) {
  exports(`400 names the parameter: ${query}`, query, {
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.keys(body), [name]);
      if (message instanceof RegExp) assert.match(body[name][0], message);
      else assert.deepEqual(body[name], [message]);
    },
  });
}
exports("an export above the limit is refused, never truncated", "", {
  app: { settings: { maxExportSize: 11 } },
  status: 400,
  json: (body) => assert.match(body.detail, /^Export size exceeds maximum of 11 certificates\. /),
});
exports("an export at the limit is accepted", "fields=id", {
  app: { settings: { maxExportSize: 12 } },
  json: (rows: Rows) => assert.equal(rows.length, 12),
});
exports("the limit counts only rows that the caller may view", "fields=id", {
  as: readerOf("acme"),
  app: { settings: { maxExportSize: 5 } },
  json: (rows: Rows) => assert.equal(rows.length, 5),
});

Deno.test("YAML and JSON exports have the same values", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [yaml, json] = await Promise.all(["yaml", "json"].map(async (format) => {
    return await (await client(`${EXPORT}?format=${format}&include_pem=true`)).text();
  }));
  assert.deepEqual(parse(yaml ?? ""), JSON.parse(json ?? ""));
});
