/** The form for one bundle in a browser without scripts (specification, point 10). */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { privateKeys } from "../../support/private_keys.ts";
import { seed } from "../../support/seed.ts";
import { pkcs7, TestCa } from "../../support/test_ca/mod.ts";
import { bulkImporter, certificateCount } from "../../domain/certificates/import_preview/support.ts";
import { csvOf, KEY_REFUSED, metadata } from "../../domain/certificates/import/support.ts";
import { type Answer, type Browser, browserOf, textOf } from "./browser.ts";

const PAGE = "/certificates/add/";

/** Sends the form that stores the certificates of a preview. */
function store(browser: Browser, { html }: Answer, rest: Record<string, string> = {}): Promise<Answer> {
  const pem = /<textarea name="pem_content"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
  const hidden = [
    ...html.matchAll(/<input type="hidden" name="(tenant|tags|private_key_location)" value="([^"]*)"/g),
  ];
  const kept = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
  return browser.post(`${PAGE}store/`, { pem_content: pem, ...kept, ...rest });
}

/** A block that is not a certificate. */
const UNREADABLE = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

const BUNDLE = [pki.fresh, pki.issuing, pki.root];
const GIVEN: [what: string, fields: Record<string, string | File>][] = [
  ["a pasted text of several blocks", { content: `text before\n${pki.fresh.pem}${CHAIN}` }],
  ["a file of PEM", { file: new File([`${pki.fresh.pem}${CHAIN}`], "chain.txt") }],
  ["a file of PKCS#7", { file: new File([new Uint8Array(pkcs7(BUNDLE.map(({ der }) => der)))], "x") }],
];
for (const [what, fields] of GIVEN) {
  Deno.test(`Import page: ${what}: the certificates found are shown, then each block becomes a separate record`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const before = await certificateCount(app.ctx);
    const found = await browser.post(PAGE, { ...fields, tenant: String(seed.tenants.acme) });
    assert.equal(found.status, 200);
    assert.match(
      textOf(found.html),
      /3 can be imported .*fresh\.acme\.example certificate will be added .*Acme Issuing CA intermediate will be added .*Acme Root CA root will be added/,
    );
    assert.match(found.html, /<button[^>]*>Import 3 certificates</);
    assert.equal(await certificateCount(app.ctx), before, "nothing is stored yet");
    const { status, location } = await store(browser, found);
    assert.equal(status, 303);
    assert.match(location, /^\/certificates\/\?id=\d+&id=\d+&id=\d+$/);
    const stored = await app.database.all<{ common_name: string; tenant_id: number }>(
      sql`SELECT common_name, tenant_id FROM certificates ORDER BY id DESC LIMIT 3`,
    );
    assert.deepEqual(stored.map(({ common_name }) => common_name).reverse(), [
      "fresh.acme.example",
      "Acme Issuing CA",
      "Acme Root CA",
    ]);
    assert.deepEqual(stored.map(({ tenant_id }) => tenant_id), Array(3).fill(seed.tenants.acme));
    assert.match((await browser.get(location)).html, /title="fresh\.acme\.example"/);
  });
}

Deno.test("Import page: a DER file of one certificate leads to that certificate", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const found = await browser.post(PAGE, { file: new File([new Uint8Array(pki.fresh.der)], "x.cer") });
  assert.match(textOf(found.html), /Import certificate/);
  assert.match((await store(browser, found)).location, /^\/certificates\/\d+\/$/);
});

Deno.test("Import page: existing and unreadable certificates are reported, the others can be stored", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const found = await browser.post(PAGE, { content: `${pki.stored.acme.pem}${broken}${pki.fresh.pem}` });
  const text = textOf(found.html);
  assert.match(text, /1 can be imported 1 is skipped 1 is unreadable/);
  assert.match(text, /From line \d+: This is not a certificate, or a damaged one \(certificate has tag/);
  assert.match(text, /Certificate already exists: www\.acme\.example/);
  assert.match(found.html, new RegExp(`href="/certificates/${seed.certificates.acmeWeb}/"`));
  assert.match((await store(browser, found)).location, /^\/certificates\/\d+\/$/);
});

Deno.test("Import page: without a new certificate there is nothing to store", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  for (const content of [pki.stored.acme.pem, "hello", UNREADABLE]) {
    const { status, html } = await browser.post(PAGE, { content });
    assert.equal(status, content === pki.stored.acme.pem ? 200 : 400);
    assert.doesNotMatch(html, /<button[^>]*>Import/);
  }
  for (const fields of [{}, { content: pki.fresh.pem, file: new File([pki.fresh.pem], "x.pem") }]) {
    const { status, html } = await browser.post(PAGE, fields);
    assert.equal(status, 400);
    assert.match(html, /<textarea[^>]*aria-invalid="true"/);
  }
});

Deno.test("Import page: a text without certificates stays in the form, with the reason", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const content = `from a mail\n${UNREADABLE}`;
  const { status, html } = await browser.post(PAGE, { content, private_key_location: "vault: kept" });
  assert.equal(status, 400);
  assert.match(html, /id="f-content-error">From line 2: /);
  assert.match(textOf(html), /Correct this field: Text ?: From line 2: /);
  assert.equal(html.match(/role="alert"/g)?.length, 2, "the summary, and the message of the script");
  assert.equal(/<textarea id="f-content"[^>]*>([^<]*)</.exec(html)?.[1], content);
  assert.match(html, /name="private_key_location"[^>]* value="vault: kept"/);
  const file = await browser.post(PAGE, { file: new File(["nothing"], "x.pem") });
  assert.match(file.html, /id="f-file-error">No certificates and no table found\./);
  // The beginning of a certificate: without the end marker, and with it.
  const half = pki.fresh.pem.trim().split("\n").slice(0, 5).join("\n");
  for (const cut of [half, `${half}\n-----END CERTIFICATE-----`]) {
    assert.match(
      (await browser.post(PAGE, { content: cut })).html,
      /id="f-content-error">The certificate in line 1 is cut off\. Copy it again\.</,
    );
  }
});

for (const [form, key] of Object.entries(await privateKeys())) {
  Deno.test(`Import page: a private key is refused on the server, too, and never shown again (${form})`, async () => {
    await using app = await testApp();
    const browser = await browserOf(app);
    const before = await certificateCount(app.ctx);
    const forms = [{ content: `${pki.fresh.pem}${key}` }, { file: new File([key], "x.pem") }];
    for (const path of [PAGE, `${PAGE}store/`]) {
      for (const fields of path === PAGE ? forms : [{ pem_content: `${pki.fresh.pem}${key}` }]) {
        const { status, html } = await browser.post(path, fields);
        assert.equal(status, 400);
        assert(textOf(html).includes(KEY_REFUSED), textOf(html));
        assert(!html.includes(key.slice(40, 80)));
      }
    }
    assert.equal(await certificateCount(app.ctx), before);
  });
}

Deno.test("Import page: the form says that the user may not import, and is refused", async () => {
  await using app = await testApp();
  const actor = bulkImporter("confined", { tenant__slug: "acme" });
  const browser = await browserOf(app, actor);
  const before = await certificateCount(app.ctx);
  const found = await browser.post(PAGE, { content: pki.fresh.pem, tenant: String(seed.tenants.globex) });
  assert.match(
    textOf(found.html),
    /Nothing can be imported 1 has errors .*Your permissions do not allow importing this certificate/,
  );
  assert.doesNotMatch(found.html, /<button[^>]*>Import/);
  const tried = await store(browser, found);
  assert.equal(tried.status, 400);
  assert.match(
    textOf(tried.html),
    /^ Preview of certificates .* Preview of certificates Your permissions do not allow importing this certificate/,
  );
  assert.equal(await certificateCount(app.ctx), before);
  const fits = await browser.post(PAGE, { content: pki.fresh.pem, tenant: String(seed.tenants.acme) });
  assert.equal((await store(browser, fits)).status, 303);
});

Deno.test("Import page: it needs the permission of an import", async () => {
  await using app = await testApp();
  const reader = granted([{ types: ["certmgr.certificate"], actions: ["view"] }], { username: "reader" });
  const browser = await browserOf(app, reader);
  assert.equal((await browser.get(PAGE)).status, 403);
  assert.equal((await browser.post(PAGE, { content: pki.fresh.pem })).status, 403);
  assert.equal((await browser.post(`${PAGE}store/`, { pem_content: pki.fresh.pem })).status, 403);
});

const ca = await TestCa.root({ cn: `</textarea><script>alert(1)</script>\u202egnp` });
const HOSTILE = await ca.issue({
  cn: `<script>alert(2)</script>"'`,
  sans: ["x".repeat(4_000), ...Array.from({ length: 100 }, (_, index) => `n${index}.example`)],
});

Deno.test("Import page: names with markup, marks and 4 KB of text are shown harmlessly", async () => {
  await using app = await testApp();
  const browser = await browserOf(app);
  const { html, status } = await browser.post(PAGE, { content: `${HOSTILE.pem}${ca.pem}` });
  assert.equal(status, 200);
  assert.doesNotMatch(html, /<script>alert/);
  assert.match(html, /<bdi[^>]*>&lt;script&gt;alert/);
  assert.match(textOf(html), /4,000 characters.*and 81 more/);
});

Deno.test("Import page: imported certificates are validated and checked at once, as far as the user may, at most 20 of them", async () => {
  await using app = await testApp();
  const results = async (ids: readonly number[]): Promise<{ validated: number; checked: number }> => {
    const [row] = await app.database.all<{ validated: number; checked: number }>(
      sql`SELECT count(chain_validated_at) AS validated,
          count((SELECT min(id) FROM compliance_checks WHERE certificate_id = certificates.id)) AS checked
        FROM certificates WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    );
    return { ...row as { validated: number; checked: number } };
  };
  const newest = async (count: number): Promise<number[]> => {
    const rows = await app.database.all<{ id: number }>(
      sql`SELECT id FROM certificates ORDER BY id DESC LIMIT ${count}`,
    );
    return rows.map(({ id }) => id);
  };
  const chief = await browserOf(app);
  assert.equal((await chief.post(`${PAGE}store/`, { pem_content: pki.fresh.pem })).status, 303);
  assert.deepEqual(await results(await newest(1)), { validated: 1, checked: 1 });
  const table = async (browser: Browser, from: number, count: number): Promise<void> => {
    const rows = Array.from({ length: count }, (_, index) => metadata(from + index));
    const { location } = await browser.post(PAGE, { content: csvOf(rows), on_duplicate: "error" });
    assert.equal((await browser.post(`${location}confirm/`)).status, 303);
  };
  // Without PEM, there is no chain.
  await table(chief, 100, 20);
  assert.deepEqual(await results(await newest(20)), { validated: 0, checked: 20 });
  await table(chief, 200, 21);
  assert.deepEqual(await results(await newest(21)), { validated: 0, checked: 0 });
  await table(await browserOf(app, bulkImporter()), 300, 2);
  assert.deepEqual(await results(await newest(2)), { validated: 0, checked: 0 });
});
