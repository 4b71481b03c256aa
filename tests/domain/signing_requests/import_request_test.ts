/** Requests as PEM: parsed, refused and stored values. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, granted, superuser, within } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { make } from "../../support/make.ts";
import { PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { buildRequest } from "../../support/test_ca/mod.ts";

const TYPE = "certmgr.certificatesigningrequest";
const IMPORT = `${PATHS.requests}import/`;
const SECRET = "correct horse battery staple";

const request = await buildRequest({
  subject: "C=CH, ST=BE, L=Bern, O=Acme Corp, OU=IT, CN=csr.acme.example",
  sans: ["csr.acme.example", "IP:192.0.2.5"],
});
const secretive = await buildRequest({ cn: "secret.acme.example", challengePassword: SECRET });
const broken = await buildRequest({ cn: "broken.acme.example", brokenSignature: true });
const nameless = await buildRequest({ subject: "O=Nobody", sans: ["dns.acme.example"] });

scenario("POST csrs/import/ reads all fields of the request, including its names", {
  as: "superuser",
  post: IMPORT,
  body: {
    pem_content: `Certificate request:\n${request.pem}`,
    requested_by: "alice",
    target_ca: "Acme Internal",
    tenant: seed.tenants.acme,
    tags: [{ slug: "prod" }],
    notes: "By mail",
  },
  status: 201,
  changes: [`create ${TYPE}`],
  answers: { location: /^https:\/\/certmgr\.example\/api\/plugins\/certmgr\/csrs\/\d+\/$/, etag: /^W\// },
  json: (body) => {
    assert.deepEqual(
      [
        body.common_name,
        body.organization,
        body.organizational_unit,
        body.locality,
        body.state,
        body.country,
      ],
      ["csr.acme.example", "Acme Corp", "IT", "Bern", "BE", "CH"],
    );
    assert.deepEqual(body.sans, ["csr.acme.example", "IP:192.0.2.5"]);
    assert.deepEqual([body.algorithm, body.key_size, body.status], ["ecdsa", 256, "pending"]);
    assert.match(body.fingerprint_sha256, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    assert.match(body.spki_sha256, /^[0-9a-f]{64}$/);
    assert.equal(body.subject_string, "C=CH, ST=BE, L=Bern, O=Acme Corp, OU=IT, CN=csr.acme.example");
    assert.deepEqual([body.requested_by, body.target_ca, body.notes], ["alice", "Acme Internal", "By mail"]);
    assert.deepEqual([body.tenant.slug, body.tags[0].slug], ["acme", "prod"]);
    assert.deepEqual([body.pem_content, body.warnings], [request.pem, []]);
  },
});
scenario(
  "POST csrs/ with only a PEM does the same; a request without a common name gets its first DNS name",
  {
    as: "superuser",
    post: PATHS.requests,
    body: { pem_content: nameless.pem },
    status: 201,
    changes: [`create ${TYPE}`],
    json: (body) => assert.deepEqual([body.common_name, body.organization], ["dns.acme.example", "Nobody"]),
  },
);
scenario("POST csrs/ stores given values of fields that the PEM does not determine", {
  as: "superuser",
  post: PATHS.requests,
  body: { pem_content: request.pem, common_name: "Shop", organization: "Shops", algorithm: "ecdsa" },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) =>
    assert.deepEqual([body.common_name, body.organization, body.locality], ["Shop", "Shops", "Bern"]),
});
scenario("POST csrs/ refuses values that differ from the PEM", {
  as: "superuser",
  post: PATHS.requests,
  body: { pem_content: request.pem, algorithm: "rsa", key_size: 2048, fingerprint_sha256: "0".repeat(64) },
  status: 400,
  json: (body) => {
    assert.deepEqual(Object.keys(body).sort(), ["algorithm", "fingerprint_sha256", "key_size"]);
    assert.deepEqual(body.algorithm, ["The PEM of the request has another value: ecdsa."]);
  },
});

Deno.test("Fields that the PEM determines cannot be changed while it is stored; another PEM replaces them", async () => {
  await using app = await testApp();
  const [{ id }] = await make(app, PATHS.requests, [{ pem_content: request.pem }]);
  const client = await app.as("superuser");
  const patch = async (body: unknown) => {
    const response = await client(`${PATHS.requests}${id}/`, { method: "PATCH", body });
    return { status: response.status, body: await response.json() };
  };
  for (
    const change of [{ fingerprint_sha256: "" }, { key_size: 1 }, { algorithm: "rsa" }, {
      subject_string: "CN=x",
    }]
  ) {
    const { status, body } = await patch(change);
    assert.deepEqual([status, Object.keys(body)], [400, Object.keys(change)]);
  }
  const whole = await (await client(`${PATHS.requests}${id}/`)).json();
  const put = await client(`${PATHS.requests}${id}/`, { method: "PUT", body: whole });
  assert.equal(put.status, 200, await put.text());
  const { body } = await patch({ pem_content: nameless.pem });
  assert.deepEqual([body.common_name, body.organization], ["dns.acme.example", "Nobody"]);
  assert.notEqual(body.spki_sha256, whole.spki_sha256);
  assert.equal((await patch({ pem_content: "", key_size: 1 })).body.spki_sha256, null);
});

const FAULTS: readonly (readonly [what: string, body: unknown, message: RegExp])[] = [
  ["nothing", {}, /^This field is required\.$/],
  ["a blank text", { pem_content: " " }, /^This field may not be blank\.$/],
  ["a number", { pem_content: 5 }, /^Expected text, not 5\.$/],
  ["words", { pem_content: "hello" }, /^Invalid PEM format or unable to parse certificate request: /],
  [
    "a certificate",
    { pem_content: pki.fresh.pem },
    /CERTIFICATE is not a certificate signing request \(block 1, line 1\)\.$/,
  ],
  ["two requests", { pem_content: request.pem + nameless.pem }, /More than one PEM block/],
  ["a truncated request", { pem_content: request.pem.replace(/\n.{8}/, "\n") }, /^Invalid PEM format/],
  [
    "a signature that does not verify",
    { pem_content: broken.pem },
    /^The request's signature is invalid: /,
  ],
  [
    "a private key next to the request",
    { pem_content: `${request.pem}-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n` },
    /^Private key detected\. Private keys are never stored\.$/,
  ],
];
for (const [what, body, message] of FAULTS) {
  scenario(`POST csrs/import/ refuses ${what}`, {
    as: "superuser",
    post: IMPORT,
    body,
    status: 400,
    json: (errors) => {
      assert.deepEqual(Object.keys(errors), ["pem_content"]);
      assert.match(errors.pem_content[0], message);
    },
  });
}
scenario("POST csrs/import/ refuses fields that the request itself has", {
  as: "superuser",
  post: IMPORT,
  body: { pem_content: request.pem, status: "issued", common_name: "other.example", tag: [] },
  status: 400,
  equals: {
    status: ["Unknown field."],
    common_name: ["Unknown field."],
    tag: ['Unknown field. Did you mean "tags"?'],
  },
});
scenario("POST csrs/import/ refuses a body that is not an object", {
  as: "superuser",
  post: IMPORT,
  body: [],
  status: 400,
  equals: { detail: "Expected an object, not a list." },
});

scenario("POST csrs/import/ refuses an existing request and names it", {
  as: "superuser",
  post: IMPORT,
  body: { pem_content: pki.request.pem },
  status: 400,
  equals: {
    pem_content: [
      `Certificate signing request already exists: wanted.globex.example (ID: ${seed.requests.approved}).`,
    ],
  },
});
scenario("POST csrs/import/ says only that a hidden request exists", {
  as: within(TYPE, ["view", "add"], { tenant__slug: "acme" }),
  post: IMPORT,
  body: { pem_content: pki.request.pem, tenant: { slug: "acme" } },
  status: 400,
  equals: { pem_content: ["Certificate signing request already exists."] },
});
scenario("POST csrs/ of a list refuses a request that the list has twice", {
  as: "superuser",
  post: PATHS.requests,
  body: [{ pem_content: request.pem }, { pem_content: request.pem }],
  status: 400,
  equals: [{}, { pem_content: ["Duplicate of item 0 in this batch."] }],
});

Deno.test("A challenge password is never stored: the fields of its request are stored, the PEM text is not", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const response = await client(IMPORT, { method: "POST", body: { pem_content: secretive.pem } });
  const body = await response.json();
  assert.equal(response.status, 201);
  assert.deepEqual([body.common_name, body.pem_content, body.key_size], ["secret.acme.example", "", 256]);
  assert.match(body.spki_sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(body.warnings, [
    "The request contains a challenge password. Its fields were stored, but not its PEM.",
  ]);
  await app.database.all(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  const stored = new TextDecoder("latin1").decode(await Deno.readFile(app.database.path));
  assert(stored.includes("secret.acme.example"));
  for (const trace of [SECRET, new TextEncoder().encode(SECRET).toBase64().slice(4, 30)]) {
    assert(!stored.includes(trace) && !JSON.stringify(app.log).includes(trace), "The password is stored");
  }
  const again = await client(IMPORT, { method: "POST", body: { pem_content: secretive.pem } });
  assert.equal(again.status, 400, "It is known by its fingerprint all the same");
});

scenario("POST csrs/import/ is allowed by `add` on requests", {
  as: granted([{ types: [TYPE], actions: ["add"] }]),
  post: IMPORT,
  body: { pem_content: request.pem },
  status: 201,
  changes: [`create ${TYPE}`],
});
const refused: readonly (readonly [who: string, as: Actor])[] = [
  [
    "a caller who may do everything else with requests, and with certificates except importing",
    granted([
      { types: [TYPE], actions: ["view", "change", "delete"] },
      { types: ["certmgr.certificate"], actions: ["view", "change", "renew"] },
    ]),
  ],
  ["a read-only token", superuser({ readOnlyToken: true })],
  ["a caller who may add requests of another tenant only", within(TYPE, ["add"], { tenant__slug: "globex" })],
];
for (const [who, as] of refused) {
  scenario(`POST csrs/import/ answers 403 to ${who}`, {
    as,
    post: IMPORT,
    body: { pem_content: request.pem, tenant: { slug: "acme" } },
    status: 403,
  });
}
scenario("POST csrs/import/ answers 401 without credentials", {
  as: "nobody",
  post: IMPORT,
  body: { pem_content: request.pem },
  status: 401,
});

for (
  const [title, constraints, status] of [
    ["the right to import certificates", null, 201],
    ["a right to import certificates of a tenant", { tenant__slug: "acme" }, 201],
    ["a right to import certificates of another tenant", { tenant__slug: "globex" }, 403],
    ["a right with a constraint that requests cannot have", { fingerprint_sha256: "a", issuer: "x" }, 403],
  ] as const
) {
  Deno.test(`POST csrs/import/ answers ${status} to ${title}`, async () => {
    await using app = await testApp();
    const client = await app.as(
      granted([
        { types: ["certmgr.certificate"], actions: ["import"], constraints },
        { types: ["tenancy.tenant"], actions: ["view"] },
      ]),
    );
    const response = await client(IMPORT, {
      method: "POST",
      body: { pem_content: request.pem, tenant: seed.tenants.acme },
    });
    assert.equal(response.status, status, await response.text());
  });
}
