/** Rows of spreadsheets without a serial number, fingerprint or algorithm, and the certificates that complete them. */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../../../src/auth/mod.ts";
import { DAY_MS } from "../../../../src/base/clock.ts";
import {
  confirmPreview,
  type PreviewPage,
  readPreview,
} from "../../../../src/domain/certificates/import_preview/mod.ts";
import { type As, granted } from "../../../support/actors.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";
import { TestCa, type TestCertificate } from "../../../support/test_ca/mod.ts";
import { browserOf, type Fields, formOf, textOf } from "../../../web/imports/browser.ts";
import { createEndpoint, HOST, MALLORY, report, startScene } from "../../endpoints/mallory.ts";
import { bulkImporter, contextAs, preview } from "../import_preview/support.ts";
import { BULK_DATA, csvOf, metadata } from "./support.ts";

type Body = Record<string, unknown>;

const NAME = "shop.example";
const END = "2027-03-15";
/** What a list has of a certificate. */
const LISTED = { Name: NAME, Ablaufdatum: "15.03.2027", Aussteller: "DigiCert" };

const ca = await TestCa.root({ cn: "Listed CA", key: "p256" });
const issue = (end: string, cn = NAME): Promise<TestCertificate> =>
  ca.issue({ cn, sans: [cn], key: "p256", notAfter: Date.parse(end) });

async function previewed(
  app: TestApp,
  rows: readonly Body[],
  options: Parameters<typeof preview>[2] = {},
): Promise<PreviewPage & { readonly confirm: () => Promise<PreviewPage> }> {
  const ctx = await contextAs(app, bulkImporter(`importer-${crypto.randomUUID()}`));
  const key = await preview(ctx, csvOf(rows), options);
  const confirm = async (): Promise<PreviewPage> => {
    assert.notEqual((await confirmPreview({ ctx, key })).confirmed, null);
    return await readPreview({ ctx, key });
  };
  return { ...await readPreview({ ctx, key }), confirm };
}

/** Imports a list, and returns the record of its first row. */
async function listed(app: TestApp, client: Client, rows: readonly Body[] = [LISTED]): Promise<Body> {
  const { rows: [row] } = await (await previewed(app, rows)).confirm();
  return await read(client, Number(row?.certificateId));
}

async function read(client: Client, id: number): Promise<Body> {
  return await (await client(`${PATHS.certificates}${id}/`)).json();
}

const codesOf = ({ rows }: PreviewPage): unknown[] =>
  rows.map(({ status, messages }) => [status, ...messages.map(({ code, field }) => `${field} ${code}`)]);

Deno.test("a row without serial number, fingerprint or algorithm becomes a pending record that is marked", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const before = await previewed(app, [LISTED]);
  assert.deepEqual([before.listed, codesOf(before)], [1, [["create", "__all__ known_from_list"]]]);
  const record = await listed(app, client);
  const { common_name, serial_number, fingerprint_sha256, algorithm, issuer, status, discovered_via } =
    record;
  assert.deepEqual(
    [common_name, serial_number, fingerprint_sha256, algorithm, issuer, status, discovered_via],
    [NAME, "", "", "unknown", "DigiCert", "pending", "list"],
  );
  assert.equal(record.valid_to, `${END}T00:00:00Z`);
  const shown = await (await client(`${PATHS.certificates}?discovered_via__ie=list`)).json();
  assert.deepEqual(shown.results.map(({ id }: Body) => id), [record.id]);
  const browser = await browserOf(app);
  assert.match(textOf((await browser.get("/certificates/")).html), /shop\.example.*known from a list/);
  const { html } = await browser.get(`/certificates/${record.id}/`);
  assert.match(textOf(html), /Upload its certificate/);
});

Deno.test("only what a list may lack is left out: other missing and all wrong cells are errors", async () => {
  await using app = await testApp();
  const { counts, rows } = await previewed(app, [
    { ...LISTED, serial: "xyz" },
    { Name: "", Ablaufdatum: "15.03.2027", serial: "" },
    { Name: NAME, Ablaufdatum: "", serial: "" },
    { ...LISTED, Name: "other.example", serial: "01" },
  ]);
  assert.deepEqual(counts, { create: 1, update: 0, unchanged: 0, skip: 0, error: 3 });
  assert.deepEqual(
    rows.map(({ messages }) => messages.map(({ field }) => field)),
    [["serial_number"], ["common_name"], ["valid_to"], ["__all__"]],
  );
});

Deno.test("a row without an issuer only is no list: its cell is missing", async () => {
  await using app = await testApp();
  const { rows } = await previewed(app, [metadata(1, { issuer: "" })]);
  assert.deepEqual(rows.map(({ messages }) => messages.map(({ field, code }) => [field, code])), [[[
    "issuer",
    "required",
  ]]]);
});

Deno.test("the API and the command line still need every column", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const body = { format: "csv", content: "common_name,valid_to\nshop.example,2027-03-15\n" };
  const response = await client(BULK_DATA, { method: "POST", body });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /serial_number/);
});

for (const end of ["14.03.2027", "15.03.2027", "16.03.2027", "17.03.2027"]) {
  Deno.test(`a list that is imported again repeats its rows: ${end}`, async () => {
    await using app = await testApp();
    await listed(app, await app.as("superuser"));
    const again = await previewed(app, [{ ...LISTED, Name: NAME.toUpperCase(), Ablaufdatum: end }]);
    const expected = end === "17.03.2027"
      ? ["create", "__all__ known_from_list"]
      : ["error", "common_name already_exists"];
    assert.deepEqual(codesOf(again), [expected]);
  });
}

Deno.test("a repeated row of a list is an error or skipped, as other duplicates", async () => {
  await using app = await testApp();
  const twice = [LISTED, LISTED];
  assert.deepEqual((await previewed(app, twice)).counts.error, 1);
  const { counts } = await previewed(app, twice, { onDuplicate: "skip" });
  assert.deepEqual([counts.create, counts.skip], [1, 1]);
});

Deno.test("no policy applies to what is known from a list", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await listed(app, client);
  const check = `${PATHS.certificates}${id}/compliance-check/`;
  const result = await (await client(check, { method: "POST", body: {} })).json();
  assert.deepEqual([result.passed, result.failed, result.checks], [0, 0, []]);
});

/** Checks that a record has the identity of a certificate. */
function completed(record: Body, id: unknown): void {
  assert.equal(record.id, id);
  assert.match(String(record.fingerprint_sha256), /^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/);
  const { status, discovered_via, issuer, algorithm, pem_matches, sans } = record;
  assert.deepEqual(
    [status, discovered_via, issuer, algorithm, pem_matches, sans],
    ["active", "", "CN=Listed CA", "ecdsa", true, [NAME]],
  );
}

for (const end of ["2027-03-15T23:59:59Z", "2027-03-14T23:59:59Z"]) {
  Deno.test(`a certificate that is imported completes the record: ${end}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const record = await listed(app, client, [{ ...LISTED, Bemerkung: "Old shop" }]);
    const body = { pem_content: (await issue(end)).pem };
    const response = await client(`${PATHS.certificates}import/`, { method: "POST", body });
    const after = await response.json();
    assert.equal(response.status, 201, JSON.stringify(after));
    completed(after, record.id);
    assert.equal(after.comments, "Old shop");
  });
}

Deno.test("a certificate in the record's form completes it, whatever the form repeats", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const record = await listed(app, client);
  const { common_name, issuer, valid_from, valid_to, algorithm, sans } = record;
  const body = {
    common_name,
    issuer,
    valid_from,
    valid_to,
    algorithm,
    sans,
    pem_content: (await issue(END)).pem,
  };
  const response = await client(`${PATHS.certificates}${record.id}/`, { method: "PATCH", body });
  completed(await response.json(), record.id);
});

Deno.test("a complete row of a table completes the record", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await listed(app, client);
  const content = csvOf([metadata(1, { common_name: NAME, valid_to: END })]);
  const response = await client(BULK_DATA, { method: "POST", body: { format: "csv", content } });
  const { updated_count, results } = await response.json();
  assert.deepEqual([updated_count, results], [1, [{ row: 1, status: "updated", id, common_name: NAME }]]);
  const { issuer, status, discovered_via } = await read(client, Number(id));
  assert.deepEqual([issuer, status, discovered_via], ["C=DE, O=Rows, CN=Rows CA", "active", ""]);
});

/** Certificates that are new ones instead. */
const OTHERS: readonly (readonly [string, rows: readonly Body[], end: string, actor: As])[] = [
  ["expires on another day", [LISTED], "2027-03-17", "superuser"],
  [
    "may belong to two records",
    [LISTED, { ...LISTED, Ablaufdatum: "17.03.2027" }],
    "2027-03-16",
    "superuser",
  ],
  ["is imported by somebody who may not change the record", [LISTED], END, bulkImporter("other")],
  [
    "is imported by somebody who may not view the record",
    [LISTED],
    END,
    granted([
      { types: ["certmgr.certificate"], actions: ["import"] },
      { types: ["certmgr.certificate"], actions: ["view", "change"], constraints: { status: "active" } },
    ]),
  ],
];
for (const [what, rows, end, actor] of OTHERS) {
  Deno.test(`a certificate does not complete a record if it ${what}`, async () => {
    await using app = await testApp();
    const admin = await app.as("superuser");
    const record = await listed(app, admin, rows);
    const client = await app.as(actor);
    const body = { pem_content: (await issue(end)).pem };
    const response = await client(`${PATHS.certificates}import/`, { method: "POST", body });
    assert.equal(response.status, 201, await response.text());
    assert.deepEqual(await read(admin, Number(record.id)), record);
  });
}

for (
  const [what, actor, { possession = "proven", name = HOST }, completes] of [
    ["with its key, to somebody who may change it", { ...MALLORY, superuser: true }, {}, true],
    ["without its key", { ...MALLORY, superuser: true }, { possession: "unproven" }, false],
    ["under another name", { ...MALLORY, superuser: true }, { name: NAME }, false],
    ["to somebody who may not change it", MALLORY, {}, false],
  ] as const
) {
  Deno.test(`a certificate that is served ${what} completes the record: ${completes}`, async () => {
    await using scene = await startScene({ actor });
    const { site: { app, ask } } = scene;
    const record = await listed(app, await app.as("superuser"), [{ ...LISTED, Name: name }]);
    await createEndpoint(scene);
    const leaf = await scene.site.ca.issue({ cn: name, key: "p256", notAfter: Date.parse(END) + DAY_MS / 2 });
    await report(scene, { presented: [leaf.pem, scene.site.ca.pem], possession });
    const after = await ask(`certificates/${record.id}/`);
    assert.equal(after.fingerprint_sha256 !== "", completes);
    assert.equal(after.status, completes ? "active" : "pending");
  });
}

Deno.test("the form of a record saves other fields, and a PEM completes it there", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await listed(app, client, [{ Name: NAME, Ablaufdatum: "15.03.2027", serial: "" }]);
  const browser = await browserOf(app);
  const path = `/certificates/${id}/edit/`;
  const fields = async (): Promise<Fields> => formOf((await browser.get(path)).html);
  assert.equal((await browser.post(path, { ...await fields(), comments: "Old shop" })).status, 303);
  const changed = await read(client, Number(id));
  assert.deepEqual([changed.comments, changed.issuer, changed.status], ["Old shop", "", "pending"]);
  const put = await client(`${PATHS.certificates}${id}/`, { method: "PUT", body: changed });
  assert.equal(put.status, 200, await put.text());
  assert.equal(
    (await browser.post(path, { ...await fields(), pem_content: (await issue(END)).pem })).status,
    303,
  );
  completed(await read(client, Number(id)), id);
});

Deno.test("a usual certificate cannot lose its identity", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const name of ["serial_number", "fingerprint_sha256", "issuer"]) {
    const response = await client(`${PATHS.certificates}1/`, { method: "PATCH", body: { [name]: "" } });
    assert.equal(response.status, 400);
    assert.deepEqual(Object.keys(await response.json()), [name]);
  }
});

Deno.test("of several certificates with the name and day of a record, the first completes it", async () => {
  for (const on_duplicate of ["error", "skip", "update"]) {
    await using app = await testApp();
    const client = await app.as("superuser");
    const { id } = await listed(app, client);
    const content = csvOf(
      [1, 2].map((one) => metadata(one, { common_name: NAME, valid_to: END, status: "revoked" })),
    );
    const response = await client(BULK_DATA, {
      method: "POST",
      body: { format: "csv", content, on_duplicate },
    });
    const { created_count, updated_count } = await response.json();
    assert.deepEqual([response.status, created_count, updated_count], [201, 1, 1], on_duplicate);
    assert.equal((await read(client, Number(id))).status, "revoked");
  }
});

Deno.test("rows of a list with different numbers are different certificates", async () => {
  await using app = await testApp();
  const { counts } = await previewed(app, ["01", "02", ""].map((serial) => ({ ...LISTED, serial })));
  assert.equal(counts.create, 3);
});

Deno.test("a list changes the certificate that expires on its day, none of several, and none of another tenant", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const ids: number[] = [];
  for (const end of ["2027-03-14", "2027-03-15"]) {
    const body = { pem_content: (await issue(end)).pem, tenant: { slug: "acme" } };
    ids.push((await (await client(PATHS.certificates, { method: "POST", body })).json()).id);
  }
  const options = { onDuplicate: "update", overwrite: true } as const;
  const list = async (more: Body = {}): Promise<unknown> => {
    const ctx = await contextAs(
      app,
      granted([{ types: [...OBJECT_TYPES], actions: ["view", "import", "change", "bulk_operations"] }], {
        username: crypto.randomUUID(),
      }),
    );
    const key = await preview(ctx, csvOf([{ ...LISTED, Bemerkung: "x", ...more }]), options);
    const { rows: [row] } = await readPreview({ ctx, key });
    return [row?.status, row?.certificateId];
  };
  assert.deepEqual(await list(), ["update", ids[1]]);
  assert.deepEqual(await list({ Ablaufdatum: "13.03.2027" }), ["update", ids[0]]);
  assert.deepEqual(await list({ Mandant: "globex" }), ["create", null]);
  await client(PATHS.certificates, {
    method: "POST",
    body: { pem_content: (await issue("2027-03-15")).pem },
  });
  assert.deepEqual(await list(), ["error", null]);
});

Deno.test("an edit that says nothing about the identity leaves a record as it is", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const row = csvOf([metadata(1)]).replace("rsa", "");
  const ctx = await contextAs(app, bulkImporter("lister"));
  const key = await preview(ctx, row);
  await confirmPreview({ ctx, key });
  const { rows: [first] } = await readPreview({ ctx, key });
  const path = `${PATHS.certificates}${first?.certificateId}/`;
  const patch = async (body: Body): Promise<unknown[]> => {
    const { status, discovered_via } = await (await client(path, { method: "PATCH", body })).json();
    return [status, discovered_via];
  };
  assert.deepEqual(await patch({ comments: "x" }), ["pending", "list"]);
  assert.deepEqual(await patch({ status: "active" }), ["active", "list"]);
  assert.deepEqual(await patch({ algorithm: "rsa" }), ["active", ""]);
});

Deno.test("an active record of a list is completed, too; by a right that depends on its status it is not", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  const { id } = await listed(app, admin);
  await admin(`${PATHS.certificates}${id}/`, { method: "PATCH", body: { status: "active" } });
  const body = { pem_content: (await issue(END)).pem };
  const narrow = await app.as(granted([
    { types: ["certmgr.certificate"], actions: ["view", "import"] },
    { types: ["certmgr.certificate"], actions: ["change"], constraints: { status: "active" } },
  ]));
  const own = await narrow(`${PATHS.certificates}import/`, { method: "POST", body });
  assert.equal(own.status, 201);
  assert.notEqual((await own.json()).id, id);
  const other = await issue(END);
  const answer = await admin(`${PATHS.certificates}import/`, {
    method: "POST",
    body: { pem_content: other.pem },
  });
  completed(await answer.json(), id);
});

Deno.test("a record is renewed by a certificate of its own name and day", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await listed(app, client);
  const body = { pem_content: (await issue(END)).pem };
  const response = await client(`${PATHS.certificates}${id}/renew/`, { method: "POST", body });
  assert.equal(response.status, 200, await response.text());
  assert.notEqual((await read(client, Number(id))).replaced_by, null);
});

Deno.test("the page for certificates says that one completes a record, and leads to it", async () => {
  await using app = await testApp();
  const { id } = await listed(app, await app.as("superuser"));
  const browser = await browserOf(app);
  const { pem } = await issue(END);
  const { html } = await browser.post("/certificates/add/", { content: pem });
  assert.match(textOf(html), /1 completes a record.*It is known from a list\. *View certificate/);
  const { location } = await browser.post("/certificates/add/store/", { pem_content: pem });
  assert.equal(location, `/certificates/${id}/`);
});

Deno.test("a list of a thousand rows with one name takes as many statements as one of ten", async () => {
  const counts: number[] = [];
  for (const count of [10, 1_000]) {
    await using app = await testApp();
    const rows = Array.from({ length: count }, (_, index) => ({
      Name: NAME,
      Ablaufdatum: new Date(Date.parse(END) + 3 * index * DAY_MS).toISOString().slice(0, 10),
    }));
    const ctx = await contextAs(app, bulkImporter("lister"));
    const before = app.database.statements;
    await preview(ctx, csvOf(rows));
    counts.push(app.database.statements - before);
  }
  assert.equal(counts[0], counts[1]);
});
