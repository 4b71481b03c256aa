/** The identity of a certificate is its fingerprint: another one with the same serial number and issuer is not it. */

import assert from "node:assert/strict";
import { TestCa, type TestCertificate } from "../../support/test_ca/mod.ts";
import { probed, type Site, startSite } from "./support.ts";

const HOST = "www.forged.example";
type Body = Record<string, unknown>;

async function pair({ ca }: Site): Promise<{ genuine: TestCertificate; forged: TestCertificate }> {
  const forger = await TestCa.root({ cn: "Probe CA" });
  return {
    genuine: await ca.issue({ cn: HOST, serial: 4711 }),
    forged: await forger.issue({ cn: HOST, serial: 4711 }),
  };
}

Deno.test("a served certificate with the serial number and issuer of the expected one is another one", async () => {
  for (const expects of [true, false]) {
    await using site = await startSite();
    const { genuine, forged } = await pair(site);
    const { id } = await site.ask("certificates/", { pem_content: genuine.pem });
    site.servers.serve(HOST, [forged]);
    const endpoint = await probed(site, HOST, expects ? { expected_certificate: id } : {});
    assert.ok((endpoint.states as string[]).includes("wrong_certificate"));
    assert.equal(endpoint.certificate, null);
    const { findings, certificate } = endpoint.observation as Body;
    assert.deepEqual([findings, certificate], [["identity_conflict"], null]);
    assert.equal((await site.ask(`certificates/?common_name=${HOST}`)).count, 1);
  }
});

const IMPORTS: readonly (readonly [path: string, body: (pem: string) => object])[] = [
  ["certificates/", (pem) => ({ pem_content: pem })],
  ["certificates/import/", (pem) => ({ pem_content: pem })],
  ["certificates/bulk-import/", (pem) => [{ pem_content: pem }]],
];
for (const [path, body] of IMPORTS) {
  Deno.test(`a forged certificate that was found first does not block POST ${path}`, async () => {
    await using site = await startSite();
    const { genuine, forged } = await pair(site);
    site.servers.serve(HOST, [forged]);
    const { id, certificate } = await probed(site, HOST);
    assert.equal((certificate as Body).status, "pending");
    await site.ask(path, body(genuine.pem));
    const { results } = await site.ask(`certificates/?common_name=${HOST}&status=active`);
    assert.equal((results as Body[]).length, 1);
    site.app.clock.advance(1_000);
    const again = await site.ask(`endpoints/${id}/probe/`, {});
    assert.deepEqual((again.observation as Body).findings, ["identity_conflict"]);
    // It cannot be accepted while the genuine one exists, and people cannot add one twice.
    const forgedPath = `certificates/${(certificate as Body).id}/`;
    await assert.rejects(site.ask(forgedPath, { status: "active" }, "PATCH"), /400.*already exists/);
    await assert.rejects(site.ask("certificates/", { pem_content: forged.pem }), /400.*already exists/);
  });
}
