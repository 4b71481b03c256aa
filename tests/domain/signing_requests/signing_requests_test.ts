/** Signing requests: fields, filters, states. */

import assert from "node:assert/strict";
import { granted, within } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { filterTest } from "../../support/filters.ts";
import { make } from "../../support/make.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { buildRequest, TestCa } from "../../support/test_ca/mod.ts";

const TYPE = "certmgr.certificatesigningrequest";
const REQUEST = await buildRequest({ subject: "C=DE, O=Acme Ltd, CN=direct.acme.example" });
const path = PATHS.requests;
const pending = `${path}${seed.requests.pending}/`;
const FINGERPRINT = "0A:".repeat(31) + "0A";

scenario("POST csrs accepts every field without a PEM", {
  as: "superuser",
  post: path,
  body: {
    common_name: "new.acme.example",
    organization: "Acme",
    organizational_unit: "IT",
    locality: "Bern",
    state: "BE",
    country: "CH",
    sans: ["new.acme.example", "IP:192.0.2.9"],
    subject_string: "C=CH, CN=new.acme.example",
    fingerprint_sha256: FINGERPRINT,
    algorithm: "rsa",
    key_size: 2048,
    status: "approved",
    requested_date: "2026-06-01T08:00:00+02:00",
    requested_by: "alice",
    target_ca: "Acme Internal",
    notes: "Soon",
    tenant: { slug: "acme" },
    tags: [{ slug: "prod" }],
    spki_sha256: "given in vain",
  },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => {
    assert.deepEqual(
      [body.organization, body.organizational_unit, body.locality, body.state, body.country],
      ["Acme", "IT", "Bern", "BE", "CH"],
    );
    assert.deepEqual(body.sans, ["new.acme.example", "IP:192.0.2.9"]);
    assert.deepEqual([body.fingerprint_sha256, body.algorithm, body.key_size], [FINGERPRINT, "rsa", 2048]);
    assert.deepEqual([body.status, body.requested_date], ["approved", "2026-06-01T06:00:00Z"]);
    assert.deepEqual([body.requested_by, body.target_ca, body.notes], ["alice", "Acme Internal", "Soon"]);
    assert.deepEqual([body.tenant.slug, body.tags[0].slug, body.display], [
      "acme",
      "prod",
      "new.acme.example",
    ]);
    assert.deepEqual([body.subject_string, body.spki_sha256], ["C=CH, CN=new.acme.example", null]);
    assert(!("warnings" in body));
  },
});
scenario("POST csrs needs only a common name; by default the request is pending and dated now", {
  as: "superuser",
  post: path,
  body: { common_name: "new.acme.example" },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.status, body.requested_date], ["pending", "2026-06-15T12:00:00Z"]);
    assert.deepEqual([body.algorithm, body.key_size, body.fingerprint_sha256], ["unknown", null, ""]);
    assert.deepEqual([body.resulting_certificate, body.suggested_certificate], [null, null]);
  },
});

scenario("POST csrs reads the subject from the PEM", {
  as: "superuser",
  post: path,
  body: { pem_content: REQUEST.pem },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => {
    assert.equal(body.subject_string, "C=DE, O=Acme Ltd, CN=direct.acme.example");
    assert.equal(body.common_name, "direct.acme.example");
  },
});

const FAULTS:
  readonly (readonly [what: string, body: Record<string, unknown>, errors: Record<string, string[]>])[] = [
    ["neither name nor PEM", {}, { common_name: ["This field is required."] }],
    ["an unknown status", { common_name: "x", status: "lost" }, {
      status: ['Expected one of pending, approved, rejected, issued, expired, not "lost".'],
    }],
    ["a short fingerprint", { common_name: "x", fingerprint_sha256: "0A:0B" }, {
      fingerprint_sha256: ['Expected 64 hexadecimal digits, colons optional, not "0A:0B".'],
    }],
    ["an absent certificate", { common_name: "x", resulting_certificate: 999 }, {
      resulting_certificate: ["Related object not found using the provided numeric ID: 999."],
    }],
    ["a private key", {
      common_name: "x",
      notes: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----",
    }, { notes: ["Private key detected. Private keys are never stored."] }],
  ];
for (const [what, body, equals] of FAULTS) {
  scenario(`POST csrs refuses ${what}`, { as: "superuser", post: path, body, status: 400, equals });
}
scenario("PUT csrs/{id}/ needs the common name", {
  as: "superuser",
  put: pending,
  body: { organization: "x" },
  status: 400,
  equals: { common_name: ["This field is required."] },
});
for (const status of ["approved", "rejected", "issued", "expired"]) {
  scenario(`PATCH csrs/{id}/ sets the status ${status}`, {
    as: "superuser",
    patch: pending,
    body: { status },
    status: 200,
    changes: [`update ${TYPE}`],
    json: (body) => assert.equal(body.status, status),
  });
}
scenario("Giving a resulting certificate sets the status issued", {
  as: "superuser",
  patch: pending,
  body: { resulting_certificate: seed.certificates.acmeWeb, status: "approved" },
  status: 200,
  changes: [`update ${TYPE}`],
  json: (body) =>
    assert.deepEqual([body.status, body.resulting_certificate.common_name], ["issued", "www.acme.example"]),
});
scenario("The status of an issued request can be corrected afterwards", {
  as: "superuser",
  patch: `${path}${seed.requests.issued}/`,
  body: { resulting_certificate: seed.certificates.acmeWeb, status: "expired" },
  status: 200,
  changes: [`update ${TYPE}`],
  json: (body) => assert.equal(body.status, "expired"),
});
scenario("DELETE certificates/{id}/ clears it from its signing request", {
  as: "superuser",
  before: async (app) => {
    const client = await app.as({ username: "mover", superuser: true, grants: [] });
    const body = { resulting_certificate: seed.certificates.shared };
    await client(`${path}${seed.requests.issued}/`, { method: "PATCH", body });
  },
  delete: certificate(seed.certificates.shared),
  status: 204,
  changes: [`update ${TYPE}`, "delete certmgr.certificate"],
});
scenario("A request whose result lies outside the caller's constraints is refused", {
  as: within(TYPE, ["add"], { tenant__slug: "acme" }),
  post: path,
  body: { common_name: "x.globex.example", tenant: { slug: "globex" } },
  status: 403,
});
scenario("GET csrs/{id}/ reveals nothing about a hidden certificate", {
  as: granted([{ types: [TYPE], actions: ["view"] }]),
  get: `${path}${seed.requests.issued}/`,
  status: 200,
  json: (body) => assert.deepEqual([body.resulting_certificate, body.tenant], [null, null]),
});

type Tag = { slug: string };
filterTest("A filter of requests selects the rows that the same filter in memory selects", {
  path,
  filters: [
    ["common_name=acme", (row) => row.common_name.includes("acme")],
    ["common_name=Acme", (row) => row.common_name.includes("Acme")],
    ["common_name__ic=ACME", (row) => /acme/i.test(row.common_name)],
    ["status=pending", (row) => row.status === "pending"],
    ["status=pending&status=issued", (row) => ["pending", "issued"].includes(row.status)],
    [`tenant_id=${seed.tenants.acme}`, (row) => row.tenant?.id === seed.tenants.acme],
    ["tenant=globex", (row) => row.tenant?.slug === "globex"],
    ["organization=CORP", (row) => /corp/i.test(row.organization)],
    ["requested_by=ALI", (row) => /ali/i.test(row.requested_by)],
    ["target_ca=internal", (row) => /internal/i.test(row.target_ca)],
    ["tag=prod", (row) => row.tags.some((tag: Tag) => tag.slug === "prod")],
    ["country=ch", (row) => /ch/i.test(row.country)],
    [
      `fingerprint_sha256=${FINGERPRINT.toLowerCase().replaceAll(":", "")}`,
      (row) => row.fingerprint_sha256 === FINGERPRINT,
    ],
    ["fingerprint_sha256=null", (row) => row.fingerprint_sha256 === ""],
    ["algorithm=ecdsa", (row) => row.algorithm === "ecdsa"],
    ["key_size__gt=100", (row) => row.key_size > 100],
    ["requested_date__lt=2026-06-02", (row) => row.requested_date < "2026-06-02"],
    ["resulting_certificate_id=1", (row) => row.resulting_certificate?.id === 1],
    ["q=CORP", (row) => /corp/i.test(row.organization + row.subject_string)],
  ],
  before: async (app) => {
    await make(app, path, [{
      common_name: "Acme.example",
      fingerprint_sha256: FINGERPRINT,
      country: "CH",
      requested_date: "2026-06-01",
      requested_by: "Alina",
    }]);
  },
});

Deno.test("A later certificate with the same key is suggested for an open request, if the caller may view it", async () => {
  await using app = await testApp();
  const request = await buildRequest({ cn: "key.acme.example" });
  const ca = await TestCa.root({ cn: "Suggester" });
  const issue = (cn: string) => ca.issue({ cn, key: request.key });
  const early = await issue("early.acme.example");
  await make(app, PATHS.certificates, [{ pem_content: early.pem }]);
  app.clock.advance(1_000);
  const [{ id, suggested_certificate }] = await make(app, path, [{ pem_content: request.pem }]);
  assert.equal(
    suggested_certificate,
    null,
    "A certificate that was there before the request is no answer to it",
  );
  const client = await app.as("superuser");
  const suggested = async (as: typeof client = client): Promise<string | undefined> =>
    (await (await as(`${path}${id}/`)).json()).suggested_certificate?.common_name;
  await make(app, PATHS.certificates, [{ pem_content: (await issue("first.acme.example")).pem }]);
  assert.equal(await suggested(), "first.acme.example");
  app.clock.advance(1_000);
  await make(app, PATHS.certificates, [{ pem_content: (await issue("second.acme.example")).pem }]);
  assert.equal(await suggested(), "second.acme.example", "The newest first");
  const blind = await app.as(granted([
    { types: [TYPE], actions: ["view"] },
    { types: ["certmgr.certificate"], actions: ["view"], constraints: { common_name__startswith: "first" } },
  ]));
  assert.equal(await suggested(blind), "first.acme.example", "The newest that may be seen");
  await client(`${path}${id}/`, { method: "PATCH", body: { status: "rejected" } });
  assert.equal(await suggested(), undefined, "A request that is closed needs none");
});
