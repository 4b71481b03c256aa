/** The stored flags follow the certificate itself as soon as its PEM is known. */

import assert from "node:assert/strict";
import { rootCertificates } from "node:tls";
import { detectAcmeIssuance, readCertificates } from "../../../../src/x509/mod.ts";
import { testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { PATHS } from "../../../support/paths.ts";
import { setFlags } from "../../../support/acme_flags.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";

const root = await TestCa.root({ subject: "O=DigiCert Inc, CN=DigiCert Test Root", key: "ed25519" });
const leaf = await root.issue({ cn: "www.example.org", key: "ed25519" });

Deno.test("an authority's certificate is never stored as issued by ACME, and detection clears its flags", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const flags = ({ is_acme, acme_provider }: Record<string, unknown>): unknown => [is_acme, acme_provider];
  const [stored, issued] = [
    await callJson(client, PATHS.certificates, "POST", { pem_content: root.pem }),
    await callJson(client, PATHS.certificates, "POST", { pem_content: leaf.pem }),
  ];
  assert.deepEqual(flags(stored), [false, ""]);
  assert.deepEqual(flags(issued), [true, "digicert"]);
  await setFlags(app, stored.id as number, "digicert");
  const ids = [stored.id, issued.id];
  const bulk = await callJson(client, `${PATHS.certificates}bulk-detect-acme/`, "POST", { ids });
  assert.deepEqual([bulk.detected_acme, bulk.not_acme], [1, 1]);
  const path = `${PATHS.certificates}${stored.id}/`;
  assert.deepEqual(flags(await callJson(client, path, "GET")), [false, ""]);
  const { detected, message } = await callJson(client, `${path}detect-acme/`, "POST", {});
  assert.equal(detected, false);
  assert.match(String(message), /belongs to an authority, is self-signed/);
});

Deno.test("a PEM that is added later decides, and a removed one no longer does", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { id } = await callJson(client, PATHS.certificates, "POST", { pem_content: root.pem });
  const patch = async (body: object): Promise<unknown> =>
    (await callJson(client, `${PATHS.certificates}${id}/`, "PATCH", body)).is_acme;
  assert.equal(await patch({ common_name: "www.example.org" }), false);
  assert.equal(await patch({ pem_content: "" }), true);
  assert.equal(await patch({ common_name: "DigiCert Test Root" }), false);
  assert.equal(await patch({ pem_content: leaf.pem }), true);
  assert.equal(await patch({ pem_content: root.pem }), false);
});

Deno.test("no public root matches", () => {
  const roots = rootCertificates.flatMap((pem) => readCertificates(pem).members);
  assert(roots.length > 100);
  for (const { certificate } of roots) {
    const { text } = certificate.subject;
    const subject = { issuer: text, commonName: text, certificate: () => certificate };
    assert.equal(detectAcmeIssuance(subject), null, text);
  }
});
