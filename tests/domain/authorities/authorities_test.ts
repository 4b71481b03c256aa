/** Certificate authorities: their own certificates, issued certificates, and deletion. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { readerOf } from "../../support/actors.ts";
import { testApp } from "../../support/app.ts";
import { make } from "../../support/make.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificateauthority";
const CERTIFICATE = "certmgr.certificate";
const path = PATHS.authorities;
const DERIVED = "SELECT subject, subject_key_id FROM certificate_authorities WHERE id = ";

scenario("POST certificate-authorities accepts every field; by default the type is public and not approved", {
  as: "superuser",
  post: path,
  body: {
    name: "Good CA",
    description: "Ours",
    issuer_pattern: "O=Good",
    website_url: "https://ca.example/",
    portal_url: "https://portal.ca.example/",
    contact_email: "pki@ca.example",
    tags: [{ slug: "prod" }],
  },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.type, body.is_approved, body.certificate_count], ["public", false, 0]);
    assert.deepEqual([body.pem_content, body.tags[0].slug, body.display], ["", "prod", "Good CA"]);
  },
});

const FAULTS:
  readonly (readonly [what: string, body: Record<string, unknown>, errors: Record<string, string[]>])[] = [
    ["no name", {}, { name: ["This field is required."] }],
    ["an existing name", { name: "Unused CA" }, {
      name: ["certificate authority with this name already exists."],
    }],
    ["an unknown type", { name: "x", type: "private" }, {
      type: ['Expected one of public, internal, acme, not "private".'],
    }],
    ["an invalid URL", { name: "x", website_url: "javascript:alert(1)" }, {
      website_url: ["Only http and https URLs are allowed."],
    }],
    ["an invalid e-mail address", { name: "x", contact_email: "pki" }, {
      contact_email: ['Expected an e-mail address, not "pki".'],
    }],
    ["two certificates", { name: "x", pem_content: `${pki.root.pem}${pki.issuing.pem}` }, {
      pem_content: ["Expected the authority's own certificate, not 2 certificates."],
    }],
    ["a private key", {
      name: "x",
      pem_content: "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----",
    }, {
      pem_content: ["Private key detected. Private keys are never stored."],
    }],
  ];
for (const [what, body, equals] of FAULTS) {
  scenario(`POST certificate-authorities refuses ${what}`, {
    as: "superuser",
    post: path,
    body,
    status: 400,
    equals,
  });
}
for (
  const pem_content of [
    "words",
    pki.request.pem,
    `${pki.root.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
  ]
) {
  scenario(
    `POST certificate-authorities refuses PEM that is not a certificate (${pem_content.slice(0, 20)})`,
    {
      as: "superuser",
      post: path,
      body: { name: "x", pem_content },
      status: 400,
      json: (body) =>
        assert.match(body.pem_content[0], /^Invalid PEM format or unable to parse certificate: /),
    },
  );
}

Deno.test("The PEM of an authority is stored without surrounding text; name and key identifier are read from it", async () => {
  await using app = await testApp();
  const [{ id, pem_content }] = await make(app, path, [{
    name: "Root",
    pem_content: `Subject: whatever\n${pki.root.pem}\ngoodbye`,
  }]);
  assert.equal(pem_content, pki.root.pem);
  const [row] = await app.database.all(sql`${sql.raw(DERIVED)} ${id}`);
  assert.deepEqual(row, {
    subject: pki.root.certificate.subject.text,
    subject_key_id: pki.root.certificate.subjectKeyId?.toHex(),
  });
  const client = await app.as("superuser");
  await client(`${path}${id}/`, { method: "PATCH", body: { pem_content: "" } });
  const [cleared] = await app.database.all(sql`${sql.raw(DERIVED)} ${id}`);
  assert.deepEqual(cleared, { subject: null, subject_key_id: null });
});

scenario("An import finds the authority by its key, whatever the patterns are", {
  as: "superuser",
  before: async (app) =>
    void await make(app, path, [
      { name: "By key", pem_content: pki.issuing.pem },
      { name: "By a long pattern", issuer_pattern: "C=US, O=Acme Corp, CN=Acme Issuing CA" },
    ]),
  post: `${PATHS.certificates}import/`,
  body: { pem_content: pki.fresh.pem },
  status: 201,
  changes: [`create ${CERTIFICATE}`],
  json: (body) => assert.equal(body.issuing_ca.name, "By key"),
});
scenario("A new certificate gets its authority by the longest matching pattern, in upper or lower case", {
  as: "superuser",
  before: async (app) =>
    void await make(app, path, [
      { name: "Longer", issuer_pattern: "o=ACME corp, cn=acme ISSUING" },
      { name: "Key of somebody else", issuer_pattern: "", pem_content: pki.stranger.pem },
    ]),
  post: PATHS.certificates,
  body: { pem_content: pki.fresh.pem },
  status: 201,
  changes: [`create ${CERTIFICATE}`],
  json: (body) => assert.equal(body.issuing_ca.name, "Longer"),
});
scenario("A named authority takes precedence over matches by key and pattern", {
  as: "superuser",
  before: async (app) => void await make(app, path, [{ name: "By key", pem_content: pki.issuing.pem }]),
  post: PATHS.certificates,
  body: { pem_content: pki.fresh.pem, issuing_ca: { name: "Unused CA" } },
  status: 201,
  changes: [`create ${CERTIFICATE}`],
  json: (body) => assert.equal(body.issuing_ca.name, "Unused CA"),
});
scenario("A new authority does not change existing certificates", {
  as: "superuser",
  post: path,
  body: { name: "Late", issuer_pattern: "Metadata CA" },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => assert.equal(body.certificate_count, 0),
});
scenario("certificate_count counts the certificates that the caller may view", {
  as: readerOf("acme"),
  get: `${path}${seed.authorities.internal}/`,
  status: 200,
  json: (body) => assert.equal(body.certificate_count, 1),
});
scenario("DELETE certificate-authorities/{id}/ clears it from its certificates, each with its own record", {
  as: "superuser",
  delete: `${path}${seed.authorities.internal}/`,
  status: 204,
  changes: [`update ${CERTIFICATE}`, `update ${CERTIFICATE}`, `delete ${TYPE}`],
});

/** A statement that stores a chain result of a certificate of the internal authority. */
const CHAIN_RESULT =
  "UPDATE certificates SET chain_status = 'valid', chain_is_valid = 1, chain_depth = 3, chain_validated_at = 1 WHERE id = 1";

Deno.test("Chain results of an authority's certificates are deleted when its PEM changes or it is deleted, and only then", async () => {
  const address = `${path}${seed.authorities.internal}/`;
  const steps: readonly (readonly [method: string, body: unknown, status: string | null])[] = [
    ["PATCH", { description: "Other words" }, "valid"],
    ["PATCH", { pem_content: "", is_approved: false }, "valid"],
    ["PATCH", { pem_content: pki.issuing.pem }, null],
    ["DELETE", undefined, null],
  ];
  for (const [method, body, expected] of steps) {
    await using app = await testApp();
    const client = await app.as("superuser");
    await app.database.write((tx) => tx.run(sql.raw(CHAIN_RESULT)));
    const response = await client(address, { method, body });
    assert(response.ok, await response.text());
    const [own, other] = await Promise.all(
      [seed.certificates.acmeWeb, seed.certificates.shared].map(async (id) =>
        (await client(certificate(id))).json()
      ),
    );
    assert.equal(own.chain_status, expected);
    assert.equal(own.chain_validation_message, "");
    assert.equal(other.chain_status, null);
    const changes = await app.database.all(
      sql`SELECT object_type FROM object_changes WHERE object_id = 1 AND object_type = ${CERTIFICATE} AND action = 'update'
        AND time >= ${app.clock.now()}`,
    );
    assert.equal(
      changes.length,
      expected === null ? 1 : 0,
      `${method} ${JSON.stringify(body)?.slice(0, 40)}`,
    );
  }
});
scenario("PATCH certificate-authorities/{id}/ with the same PEM changes nothing", {
  as: "superuser",
  before: async (app) => {
    const client = await app.as({ username: "mover", superuser: true, grants: [] });
    await client(`${path}${seed.authorities.idle}/`, {
      method: "PATCH",
      body: { pem_content: pki.root.pem },
    });
  },
  patch: `${path}${seed.authorities.idle}/`,
  body: { pem_content: pki.root.pem.replaceAll("\n", "\r\n") },
  status: 200,
});
