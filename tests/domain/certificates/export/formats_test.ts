import assert from "node:assert/strict";
import { parse } from "yaml";
import {
  DEFAULT_FIELDS,
  EXPORT_FIELDS,
  EXTENDED_FIELDS,
} from "../../../../src/domain/certificates/export/fields.ts";
import { certificates } from "../../../../src/domain/certificates/mod.ts";
import { LIST_SEPARATOR } from "../../../../src/formats/mod.ts";
import { createObject } from "../../../../src/resource/mod.ts";
import { readCertificates, readPem } from "../../../../src/x509/mod.ts";
import { readerOf } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { seed } from "../../../support/seed.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";
import { commonNames, exportByGet, exportByPost, METHODS, NAMES, rowsOf, TYPES } from "./support.ts";

const EMPTY = { csv: `${DEFAULT_FIELDS.join(",")}\r\n`, json: "[]\n", yaml: "[]\n", pem: "" } as const;
const ALL = Object.keys(seed.certificates).length;

for (const format of NAMES) {
  Deno.test(`${format}: GET and POST return the same document, with a file name and a media type`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const texts: string[] = [];
    for (const [, ask] of METHODS) {
      const response = await ask(client, { format });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), TYPES[format]);
      assert.equal(
        response.headers.get("content-disposition"),
        `attachment; filename="certificates.${format}"; filename*=UTF-8''certificates.${format}`,
      );
      texts.push(await response.text());
    }
    assert.equal(texts[0], texts[1]);
    assert.equal(commonNames(format, texts[0]!).length, ALL);
  });

  Deno.test(`${format}: filters and ids select its rows, also together`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const { acmeWeb, globexWeb, globexRevoked } = seed.certificates;
    const narrowings = [
      [{ status: "revoked" }, ["mail.globex.example"]],
      [{ tenant_id: seed.tenants.globex, valid_to__lt: "2026-06-15T12:00:00Z" }, ["noon.globex.example"]],
      [{ tag: ["prod", "pci"] }, ["www.acme.example"]],
      [{ ids: [globexWeb, acmeWeb] }, ["www.acme.example", "www.globex.example"]],
      [{ ids: [globexWeb, globexRevoked], status: "revoked" }, ["mail.globex.example"]],
      [{ ids: [globexRevoked, 999_999] }, ["mail.globex.example"]],
    ] as const;
    for (const [parameters, names] of narrowings) {
      for (const [method, ask] of METHODS) {
        const text = await (await ask(client, { format, ...parameters })).text();
        const found = commonNames(format, text).toSorted();
        assert.deepEqual(found, names, `${method} ${JSON.stringify(parameters)}`);
      }
    }
  });

  Deno.test(`${format}: an export without rows is an empty document`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const nobody = [{ ids: [] }, { ids: [999_999] }, { status: "active", expired: true, tenant: "initech" }];
    for (const parameters of nobody) {
      const response = await exportByPost(client, { format, ...parameters });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), EMPTY[format], JSON.stringify(parameters));
    }
    assert.equal(
      await (await client(`${PATHS.certificates}export/?format=${format}&ids=`)).text(),
      EMPTY[format],
    );
  });

  Deno.test(`${format}: an export has only rows that the caller may view, and reveals nothing about others`, async () => {
    await using app = await testApp();
    const client = await app.as(readerOf("acme"));
    const text = await (await exportByGet(client, { format })).text();
    assert.equal(commonNames(format, text).length, 5);
    assert(!text.includes("globex"));
    const asked = await exportByGet(client, { format, ids: [seed.certificates.globexWeb] });
    assert.equal(await asked.text(), EMPTY[format]);
  });

  Deno.test(`${format}: one certificate is a document named after it`, async () => {
    await using app = await testApp();
    const client = await app.as(readerOf("acme"));
    const response = await client(certificate(seed.certificates.acmeWeb, `export/?format=${format}`));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), TYPES[format]);
    assert.equal(
      response.headers.get("content-disposition"),
      `attachment; filename="www.acme.example.${format}"; filename*=UTF-8''www.acme.example.${format}`,
    );
    const all = await exportByGet(client, { format, ids: [seed.certificates.acmeWeb] });
    assert.equal(await response.text(), await all.text(), "The same as an export of this one");
    const hidden = await client(certificate(seed.certificates.globexWeb, `export/?format=${format}`));
    const absent = await client(certificate(999_999, `export/?format=${format}`));
    assert.deepEqual([hidden.status, absent.status], [404, 404]);
    assert.equal(await hidden.text(), await absent.text());
  });
}

Deno.test("csv, json and yaml have the same values: names, lists, numbers, times without a zone", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [csv, json, yaml] = await Promise.all(
    (["csv", "json", "yaml"] as const).map(async (format) =>
      rowsOf(format, await (await exportByPost(client, { format, fields: EXPORT_FIELDS })).text())
    ),
  );
  assert.deepEqual(yaml, json);
  assert.deepEqual(
    csv,
    json?.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)]))),
  );
  const { common_name, tenant, tags, sans, valid_to, days_remaining, issuing_ca, pem_content, issuer_chain } =
    json![0]!;
  assert.deepEqual(
    { common_name, tenant, tags, sans, valid_to, days_remaining, issuing_ca, pem_content, issuer_chain },
    {
      common_name: "www.acme.example",
      tenant: "Acme Corp",
      tags: ["pci", "prod"],
      sans: ["www.acme.example", "alt.www.acme.example"],
      valid_to: "2026-10-31T23:59:59",
      days_remaining: 138,
      issuing_ca: "Acme Internal",
      pem_content: pki.stored.acme.pem,
      issuer_chain: CHAIN,
    },
  );
});

function cell(value: unknown): string {
  return Array.isArray(value) ? value.join(LIST_SEPARATOR) : value === null ? "" : String(value);
}

Deno.test("fields are the default ones, or the requested ones in their order", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const keys = async (parameters: Record<string, unknown>): Promise<string[]> => {
    const [row] = await (await exportByPost(client, { ids: [1], ...parameters })).json();
    return Object.keys(row);
  };
  assert.deepEqual(await keys({}), [...DEFAULT_FIELDS]);
  assert.deepEqual(await keys({ fields: [] }), [...DEFAULT_FIELDS]);
  assert.deepEqual(await keys({ fields: ["status", "id"] }), ["status", "id"]);
  assert.deepEqual(await keys({ fields: EXTENDED_FIELDS }), [...EXTENDED_FIELDS]);
  assert.deepEqual(await keys({ include_pem: true }), [...DEFAULT_FIELDS, "pem_content"]);
  assert.deepEqual(await keys({ include_pem: true, fields: ["pem_content", "id"] }), ["pem_content", "id"]);
  const csv = await (await exportByGet(client, { format: "csv", fields: ["status", "id"], ids: [1] })).text();
  assert.equal(csv, "status,id\r\nactive,1\r\n");
});

Deno.test("include_pem adds the PEM in json and yaml, and changes nothing in csv and pem", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const format of NAMES) {
    const parameters = { format, ids: [seed.certificates.acmeWeb] };
    const [plain, asked] = await Promise.all(
      [false, true].map(async (include_pem) =>
        await (await exportByPost(client, { ...parameters, include_pem })).text()
      ),
    ) as [string, string];
    if (format === "csv" || format === "pem") assert.equal(asked, plain, format);
    else {
      assert.equal(rowsOf(format, asked)[0]?.pem_content, pki.stored.acme.pem, format);
      assert(!plain.includes("BEGIN CERTIFICATE"), format);
    }
  }
});

Deno.test("include_chain is on by default, and changes only pem", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const blocks = async (parameters: Record<string, unknown>): Promise<number> => {
    const text = await (await exportByPost(client, { format: "pem", ids: [1], ...parameters })).text();
    assert.equal(text.includes("# Chain"), parameters.include_chain !== false);
    return readPem(text).blocks.length;
  };
  assert.equal(await blocks({}), 3);
  assert.equal(await blocks({ include_chain: true }), 3);
  assert.equal(await blocks({ include_chain: false }), 1);
  for (const format of ["csv", "json", "yaml"] as const) {
    const texts = await Promise.all(
      [{}, { include_chain: false }].map(async (parameters) =>
        await (await exportByGet(client, { format, ...parameters })).text()
      ),
    );
    assert.equal(texts[0], texts[1], format);
  }
});

Deno.test("importing an export results in the same inventory, whatever its names", async () => {
  await using app = await testApp();
  const root = await TestCa.root({ subject: [["CN", "=cmd|' /C calc'!A0"]] });
  const names = [
    "=1+1",
    "'=1+1",
    "a\r\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "no",
    "0123",
    "12:34:56",
    'a,"b";c',
    " outer ",
    "😀 \u0085 \u2028 \u202e",
  ];
  const ids: number[] = [];
  for (const cn of names) {
    const { pem } = await root.issue({ subject: [["CN", cn]], sans: ["x.example"] });
    const created = await createObject({ ctx: app.ctx, resource: certificates, input: { pem_content: pem } });
    ids.push(created.id as number);
  }
  const client = await app.as("superuser");
  const text = async (format: string): Promise<string> =>
    await (await exportByPost(client, { format, ids, fields: ["id", "common_name", "issuer"] })).text();
  const stored: Record<string, unknown>[] = JSON.parse(await text("json"));
  assert.equal(stored.length, names.length);
  assert.deepEqual(rowsOf("yaml", await text("yaml")), stored);
  assert.deepEqual(parse(await text("yaml"), { version: "1.1" }), stored);
  assert.deepEqual(rowsOf("csv", await text("csv")), stored.map((row) => ({ ...row, id: String(row.id) })));
  assert.equal(readCertificates(await text("pem")).members.length, names.length);
});
