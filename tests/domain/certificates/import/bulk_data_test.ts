/** Metadata of many certificates, as CSV or JSON text. */

import assert from "node:assert/strict";
import { managerOf } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { seed } from "../../../support/seed.ts";
import { BULK_DATA, creates, csvOf, errorLines, type Found, importer, metadata, posts } from "./support.ts";

const bulk = posts(BULK_DATA);
const BOTH = ["import", "bulk_operations"];

/** Returns a table as a spreadsheet saves it, with all difficult cases in one file. */
function sheet(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) =>
    metadata(index, {
      status: ["active", "", "revoked"][index % 3],
      sans: [`row-${index}.example`, "IP:192.0.2.1", "dirName:CN=second, O=with a comma"],
      tenant: ["Acme Corp", "globex", String(seed.tenants.idle), ""][index % 4],
      private_key_location: `line 1; "quoted"\r\nline ${index}, 'end'`,
      key_size: index % 5 === 0 ? "" : 2048,
    }));
}

for (
  const [what, content] of [
    [
      "CSV with a byte order mark, CRLF, quoted newlines and semicolons",
      "\ufeff" + csvOf(sheet(100), { end: "\r\n" }),
    ],
    ["CSV with semicolons between its cells", csvOf(sheet(100), { delimiter: ";" })],
    ["CSV with bare CR", csvOf(sheet(100), { end: "\r" })],
    ["JSON", JSON.stringify(sheet(100))],
    ["JSON after a byte order mark and blanks", `\ufeff \n ${JSON.stringify(sheet(100))}`],
  ] as const
) {
  bulk(`${what}: a hundred rows are stored`, { content }, {
    ...creates(100),
    json: (body) => {
      assert.deepEqual(Object.keys(body), ["created_count", "skipped_count", "certificates"]);
      assert.deepEqual([body.created_count, body.skipped_count, body.certificates.length], [100, 0, 100]);
      assert.deepEqual({ ...body.certificates[2], id: 0 }, {
        id: 0,
        common_name: "row-2.example",
        serial_number: "900002",
        status: "revoked",
      });
    },
  });
}

Deno.test("bulk-data-import: each cell is stored in its field", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = { content: csvOf(sheet(2), { end: "\r\n" }), format: "csv" };
  const { certificates } = await (await client(BULK_DATA, { method: "POST", body })).json();
  const object = await (await client(certificate(certificates[1].id))).json();
  const { common_name, valid_from, status, sans, tenant, key_size, private_key_location } = object;
  assert.deepEqual({ common_name, valid_from, status, sans, key_size, private_key_location }, {
    common_name: "row-1.example",
    valid_from: "2026-01-01T00:00:00Z",
    status: "active",
    sans: ["row-1.example", "IP:192.0.2.1", "dirName:CN=second, O=with a comma"],
    key_size: 2048,
    private_key_location: "line 1; \"quoted\"\r\nline 1, 'end'",
  });
  assert.equal(tenant.slug, "globex");
});

const bad = sheet(12);
Object.assign(bad[0] as object, { algorithm: "dsa" });
Object.assign(bad[1] as object, { valid_from: "01.02.2026" });
Object.assign(bad[2] as object, { valid_to: "2026-02-30" });
Object.assign(bad[3] as object, { common_name: " " });
Object.assign(bad[4] as object, { serial_number: "xyz" });
Object.assign(bad[5] as object, { fingerprint_sha256: "abcd" });
Object.assign(bad[6] as object, { status: "lost" });
Object.assign(bad[7] as object, { tenant: "Nobody Ltd" });
Object.assign(bad[8] as object, { key_size: "many", issuer: "" });
Object.assign(bad[9] as object, { valid_from: "2027-01-01" });
Object.assign(bad[11] as object, { serial_number: bad[10]?.serial_number });
const WRONG: readonly RegExp[] = [
  /^1 algorithm Invalid algorithm "dsa"\. Expected one of ecdsa, ed25519, rsa, unknown\.$/,
  /^2 valid_from Invalid date format: "01\.02\.2026"\. Expected YYYY-MM-DD\. Did you mean 2026-02-01 or 2026-01-02\?$/,
  /^3 valid_to Invalid date format: "2026-02-30" is not a date of the calendar\. Expected YYYY-MM-DD\.$/,
  /^4 common_name This field is required\.$/,
  /^5 serial_number Expected 1 to 64 hexadecimal digits/,
  /^6 fingerprint_sha256 Expected 64 hexadecimal digits/,
  /^7 status Expected one of active, /,
  /^8 tenant No tenant has the name, slug or ID "Nobody Ltd"\.$/,
  /^9 issuer This field is required\.$/,
  /^9 key_size Expected a whole number/,
  /^10 valid_to valid_to must not be before valid_from\.$/,
  /^12 serial_number Duplicate of row 11 in this batch\.$/,
];
for (const [what, content] of [["CSV", csvOf(bad)], ["JSON", JSON.stringify(bad)]] as const) {
  bulk(`${what}: all invalid cells are reported together, and nothing is stored`, { content }, {
    json: (body) => {
      const all = errorLines(body).sort((a, b) => parseInt(a) - parseInt(b));
      assert.equal(all.length, WRONG.length, all.join("\n"));
      for (const [index, pattern] of WRONG.entries()) assert.match(all[index] ?? "", pattern);
      assert.equal(body.detail, "Validation failed: 12 errors in 11 rows. Nothing was imported.");
    },
  });
}

Deno.test("bulk-data-import: serial numbers and names are read in other spellings, and refused with more than one reading", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const post = async (cells: Record<string, unknown>, format: "csv" | "json") => {
    const rows = [metadata(format === "csv" ? 1 : 2, cells)];
    const content = format === "csv" ? csvOf(rows) : JSON.stringify(rows);
    return await (await client(BULK_DATA, { method: "POST", body: { content, format } })).json();
  };
  const sans = "DNS Name=a.spell.test\nDNS Name=b.spell.test, IP Address:192.0.2.1";
  const { certificates: [{ id }] } = await post({ serial_number: "\u200e0x7e 1b 7f", sans }, "csv");
  const stored = await (await client(certificate(id))).json();
  assert.deepEqual([stored.serial_number, stored.sans], ["7e1b7f", [
    "a.spell.test",
    "b.spell.test",
    "IP:192.0.2.1",
  ]]);
  for (const filter of ["serial_number=7E-1B-7F", "serial_number__isw=0x7e1b", "san=a.spell.test"]) {
    assert.equal((await (await client(`${PATHS.certificates}?${filter}`)).json()).count, 1, filter);
  }
  const { errors } = await post({
    fingerprint_sha256: "c7".repeat(32),
    serial_number: "1.2E+15",
    sans: "a.example and others",
  }, "json");
  assert.deepEqual(errors.map(({ field }: Found) => field).sort(), ["sans", "serial_number"]);
  assert.match(errors.find(({ field }: Found) => field === "serial_number").message, /rounded/);
});

const one = metadata(1);
const existing = metadata(90, {
  common_name: "api.acme.example",
  serial_number: "1:00:02",
  issuer: "C=US, O=Metadata CA, CN=Issuer 1",
});
bulk("an existing serial number and issuer are refused, however the serial number is written", {
  content: csvOf([existing]),
}, {
  json: (body) =>
    assert.deepEqual(errorLines(body), [
      "1 serial_number Certificate already exists: api.acme.example " +
      `(ID: ${seed.certificates.acmeCritical}), with another fingerprint.`,
    ]),
});
bulk("on_duplicate skip skips existing and repeated rows", {
  content: csvOf([existing, one, one]),
  on_duplicate: "skip",
}, {
  ...creates(1),
  json: (body) =>
    assert.deepEqual([body.created_count, body.skipped_count, body.certificates.length], [1, 2, 1]),
});
bulk("a document with only existing certificates answers 201", {
  content: csvOf([existing]),
  on_duplicate: "skip",
}, {
  status: 201,
  equals: { created_count: 0, skipped_count: 1, certificates: [] },
});
bulk("skip does not ignore invalid cells", {
  content: csvOf([{ ...existing, algorithm: "dsa" }]),
  on_duplicate: "skip",
}, { contains: ['"field":"algorithm"'] });

bulk("dates as exports write them are read", {
  content: csvOf([
    metadata(1, { valid_from: "2026-01-01T10:20:30", valid_to: "2026-12-31T23:59:59.123000" }),
  ]),
}, creates(1));
for (
  const date of [
    "2026-1-1",
    "2026-01-01T00:00:00+99:00",
    "2026-01-01T25:00:00",
    "20260101",
    "1/1/2026",
    "now",
  ]
) {
  bulk(`${date} is not a date`, { content: csvOf([metadata(1, { valid_to: date })]) }, {
    json: (body) =>
      assert.match(
        errorLines(body)[0] ?? "",
        /^1 valid_to Invalid date format: /,
      ),
  });
}

Deno.test("bulk-data-import: PEM in a cell is read as in direct creation", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const pem = { pem_content: pki.fresh.pem, issuer_chain: CHAIN };
  const { certificate: read } = pki.fresh;
  const rows = [
    metadata(1, pem),
    metadata(2, {
      ...pem,
      serial_number: "f001",
      fingerprint_sha256: read.fingerprintSha256,
      valid_from: new Date(read.validity.notBefore).toISOString().slice(0, 19),
      valid_to: new Date(read.validity.notAfter).toISOString().slice(0, 19),
    }),
  ];
  const answer = await client(BULK_DATA, { method: "POST", body: { content: csvOf(rows) } });
  const { certificates } = await answer.json();
  const objects = await Promise.all(
    certificates.map(async ({ id }: { id: number }) => (await client(certificate(id))).json()),
  );
  assert.deepEqual(objects.map((object) => [object.pem_matches, object.common_name, object.issuer_chain]), [
    [false, "row-1.example", CHAIN],
    [true, "row-2.example", CHAIN],
  ]);
});
bulk("PEM that cannot be read is an error of its row", {
  content: csvOf([metadata(1, { pem_content: "x" })]),
}, {
  contains: ['"row":1,"field":"pem_content"', "Invalid PEM format"],
});
bulk("required columns are required besides PEM", {
  content: JSON.stringify([{ pem_content: pki.fresh.pem }]),
}, {
  json: (body) => assert.equal(body.errors.filter(({ row }: Found) => row === 1).length, 7),
});

bulk("needs import_certificate and bulk_operations", { content: csvOf([one]) }, {
  ...creates(1),
  as: importer(BOTH),
});
for (const actions of [["import"], ["bulk_operations"], ["add"], ["view", "change", "delete"]]) {
  bulk(`${actions.join(" and ")} alone is not enough`, { content: csvOf([one]) }, {
    as: importer(actions),
    status: 403,
  });
}
bulk("without credentials nothing is imported", { content: csvOf([one]) }, { as: "nobody", status: 401 });
bulk("one row outside the constraints makes the whole import fail", { content: csvOf([one, metadata(2)]) }, {
  as: importer(BOTH, { common_name: "row-1.example" }),
  status: 403,
  json: (body) =>
    assert.deepEqual(body, { detail: "Your permissions do not allow importing this certificate." }),
});
bulk("a tenant that the caller may not see is unknown, by name and by id", {
  content: csvOf([metadata(1, { tenant: "Globex Corp" }), metadata(2, { tenant: seed.tenants.globex })]),
}, {
  as: managerOf("acme"),
  json: (body) =>
    assert.deepEqual(errorLines(body), [
      '1 tenant No tenant has the name, slug or ID "Globex Corp".',
      '2 tenant No tenant has the name, slug or ID "2".',
    ]),
});
