/** The inspection of certificates before they are stored. */

import assert from "node:assert/strict";
import { AppError } from "../../../../src/base/errors.ts";
import {
  importPem,
  inspectBundle,
  type InspectedCertificate,
  isImportReport,
} from "../../../../src/domain/certificates/import/mod.ts";
import { granted } from "../../../support/actors.ts";
import { type TestApp, testApp } from "../../../support/app.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { privateKeys } from "../../../support/private_keys.ts";
import { seed } from "../../../support/seed.ts";
import { pkcs7 } from "../../../support/test_ca/mod.ts";
import { bulkImporter, certificateCount, contextAs, textsOf } from "../import_preview/support.ts";
import { KEY_REFUSED } from "./support.ts";

const TEXT = `${pki.fresh.pem}${CHAIN}`;

async function look(app: TestApp, content: string | Uint8Array): Promise<readonly InspectedCertificate[]> {
  const ctx = await contextAs(app, bulkImporter());
  const { certificates, findings } = await inspectBundle({ ctx, input: { content } });
  assert.deepEqual(findings, []);
  return certificates;
}

const FORMS: [name: string, content: string | Uint8Array][] = [
  ["PEM text", `Bag attributes\n${TEXT}`],
  ["a file of PEM", new TextEncoder().encode(TEXT)],
  ["PKCS#7 in DER", pkcs7([pki.fresh, pki.issuing, pki.root].map(({ der }) => der))],
];
for (const [name, content] of FORMS) {
  Deno.test(`Import inspection: ${name}: each certificate is shown with its details, its role and its issuer`, async () => {
    await using app = await testApp();
    const found = await look(app, content);
    assert.deepEqual(
      found.map((
        { place, common_name, role, issued_by, status },
      ) => [place, common_name, role, issued_by, status]),
      [
        [1, "fresh.acme.example", "end entity", 2, "create"],
        [2, "Acme Issuing CA", "intermediate", 3, "create"],
        [3, "Acme Root CA", "root", null, "create"],
      ],
    );
    const [leaf] = found;
    assert.equal(leaf?.serial_number, "00:F0:01");
    assert.deepEqual(leaf?.sans, ["fresh.acme.example", "alt.fresh.acme.example"]);
    assert.equal(leaf?.issuer, "C=US, O=Acme Corp, CN=Acme Issuing CA");
    assert.match(leaf?.valid_to ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.match(leaf?.fingerprint_sha256 ?? "", /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });
}

Deno.test("Import inspection: one DER certificate is found", async () => {
  await using app = await testApp();
  assert.deepEqual((await look(app, pki.fresh.der)).map(({ common_name }) => common_name), [
    "fresh.acme.example",
  ]);
});

Deno.test("Import inspection: existing and repeated certificates are marked, and nothing is stored", async () => {
  await using app = await testApp();
  const before = await certificateCount(app.ctx);
  const [stored, fresh, again] = await look(app, `${pki.stored.acme.pem}${pki.fresh.pem}${pki.fresh.pem}`);
  assert.deepEqual([stored?.status, fresh?.status, again?.status], ["skip", "create", "skip"]);
  assert.equal(stored?.existing, seed.certificates.acmeWeb);
  assert.match(textsOf(stored?.messages)[0] ?? "", /^Certificate already exists: www\.acme\.example/);
  assert.deepEqual(textsOf(again?.messages), ["Duplicate of certificate 2 in this batch."]);
  assert.equal(await certificateCount(app.ctx), before);
});

Deno.test("Import inspection: a hidden certificate is reported as existing, and nothing else about it", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter("globex", { tenant__slug: "globex" }));
  const { certificates } = await inspectBundle({ ctx, input: { content: pki.stored.acme.pem } });
  assert.equal(certificates[0]?.existing, null);
  assert.deepEqual(textsOf(certificates[0]?.messages), ["Certificate already exists."]);
});

Deno.test("Import inspection: certificates outside the constraints of import are marked", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter("acme", { tenant__slug: "acme" }));
  const statusFor = async (tenant: unknown): Promise<unknown> =>
    (await inspectBundle({ ctx, input: { content: pki.fresh.pem, tenant } })).certificates[0]?.status;
  assert.equal(await statusFor({ slug: "acme" }), "create");
  assert.equal(await statusFor({ slug: "globex" }), "error");
  assert.equal(await statusFor(null), "error");
});

Deno.test("Import inspection: blocks that cannot be read are reported with their place, next to those that can", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const { certificates, findings, pem } = await inspectBundle({
    ctx,
    input: { content: `${pki.fresh.pem}${broken}${pki.request.pem}` },
  });
  assert.deepEqual(certificates.map(({ common_name, block }) => [common_name, block]), [[
    "fresh.acme.example",
    1,
  ]]);
  assert.deepEqual(findings.map(({ block }) => block), [2, 3]);
  assert.equal(pem, pki.fresh.pem);
});

Deno.test("Import inspection: each certificate is imported as the inspection says", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  const { certificates, pem } = await inspectBundle({
    ctx,
    input: { content: pkcs7([pki.stored.acme, pki.fresh, pki.issuing].map(({ der }) => der)) },
  });
  const outcome = await importPem({ ctx, input: { pem_content: pem, split: true } });
  assert(isImportReport(outcome));
  const names = (status: string): string[] =>
    certificates.filter((one) => one.status === status).map(({ common_name }) => common_name);
  assert.deepEqual(outcome.certificates.map(({ common_name }) => common_name), names("create"));
  assert.deepEqual(outcome.skipped.map(({ common_name }) => common_name), names("skip"));
});

for (const [form, key] of Object.entries(await privateKeys())) {
  Deno.test(`Import inspection: a private key is refused, whatever is next to it (${form})`, async () => {
    await using app = await testApp();
    const ctx = await contextAs(app, bulkImporter());
    for (const content of [`${TEXT}${key}`, new TextEncoder().encode(`${key}${TEXT}`)]) {
      await assert.rejects(inspectBundle({ ctx, input: { content } }), (error) => {
        assert(error instanceof AppError);
        assert.deepEqual(error.public, { pem_content: [KEY_REFUSED] });
        return true;
      });
    }
  });
}

Deno.test("Import inspection: empty input, and text without a certificate, are reported", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter());
  for (const content of ["", " \n", new Uint8Array()]) {
    await assert.rejects(inspectBundle({ ctx, input: { content } }), { code: "invalid" });
  }
  for (const content of ["hello", new Uint8Array([1, 2, 3]), "x".repeat(1024 * 1024 + 1)]) {
    const { certificates, findings, pem } = await inspectBundle({ ctx, input: { content } });
    assert.deepEqual([certificates, pem], [[], ""]);
    assert(findings.length > 0);
  }
});

Deno.test("Import inspection: it needs the permission to import", async () => {
  await using app = await testApp();
  for (const [actions, fits] of [[["view"], false], [["import"], true], [["add"], true]] as const) {
    const actor = granted([{ types: ["certmgr.certificate"], actions }], { username: actions.join() });
    const work = inspectBundle({ ctx: await contextAs(app, actor), input: { content: pki.fresh.pem } });
    if (fits) await work;
    else await assert.rejects(work, { code: "forbidden" });
  }
});

Deno.test("Import inspection: as many statements for one certificate as for two", async () => {
  await using app = await testApp();
  const ctx = await contextAs(app, bulkImporter("within", { common_name__n: "nobody" }));
  const counts: number[] = [];
  await inspectBundle({ ctx, input: { content: pki.fresh.pem } }); // the custom fields are cached from now on
  for (const content of [pki.fresh.pem, `${pki.fresh.pem}${pki.other.pem}`]) {
    const before = app.database.statements;
    await inspectBundle({ ctx, input: { content } });
    counts.push(app.database.statements - before);
  }
  assert.equal(counts[0], counts[1]);
});

Deno.test("Import inspection: a binary file whose certificates exceed the limit as PEM is refused before it is shown", async () => {
  await using app = await testApp();
  const sans = Array.from({ length: 2000 }, (_, index) => `host-${index}.large.example`);
  const large = await pki.issuing.issue({ cn: "large.example", serial: 901, sans });
  const content = pkcs7(Array(Math.floor(1_000_000 / large.der.length)).fill(large.der));
  assert.ok(content.length < 1024 * 1024);
  const ctx = await contextAs(app, bulkImporter());
  await assert.rejects(inspectBundle({ ctx, input: { content } }), (error) => {
    assert.ok(error instanceof AppError);
    assert.match(
      JSON.stringify(error.public),
      /The certificates have 1\.\d+ MB together, more than the limit of 1 MB/,
    );
    return true;
  });
});
