/** The authority of a certificate, and when it is searched again. */

import assert from "node:assert/strict";
import { testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { certificate } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { seed } from "../../support/seed.ts";

const { acmeWeb } = seed.certificates;
const { internal, acme, idle } = seed.authorities;
const ISSUER = "C=US, O=Acme Corp, CN=Acme Issuing CA";

for (
  const [what, body, authority] of [
    ["the same issuer and PEM again keep the chosen authority", {
      issuer: ISSUER,
      pem_content: pki.stored.acme.pem,
    }, idle],
    ["another issuer selects the matching one", { issuer: "C=US, O=Let's Encrypt, CN=R10" }, acme],
    ["another PEM selects the matching one", { pem_content: pki.fresh.pem }, internal],
    ["a change that does not concern the issuer keeps it", { status: "revoked" }, idle],
    ["a named authority replaces it", { issuer: "CN=Acme Issuing CA 2", issuing_ca: acme }, acme],
    ["null removes it", { issuer: "CN=Acme Issuing CA 2", issuing_ca: null }, null],
  ] as const
) {
  Deno.test(`a certificate with a chosen authority: ${what}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    await callJson(client, certificate(acmeWeb), "PATCH", { issuing_ca: idle });
    const changed = await callJson(client, certificate(acmeWeb), "PATCH", body);
    assert.equal(changed.issuing_ca?.id ?? null, authority);
  });
}

Deno.test("a certificate without an authority finds one when its issuer is written again", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, certificate(acmeWeb), "PATCH", { issuing_ca: null });
  const changed = await callJson(client, certificate(acmeWeb), "PATCH", { issuer: ISSUER });
  assert.equal(changed.issuing_ca.id, internal);
});
