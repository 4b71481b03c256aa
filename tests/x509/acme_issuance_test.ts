/** Only certificates that ACME can issue are detected as ACME, for any name of the issuer. */

import assert from "node:assert/strict";
import { type AcmeProvider, type Certificate, detectAcmeIssuance } from "../../src/x509/mod.ts";
import { type CertificateInput, ext, TestCa } from "../support/test_ca/mod.ts";

const PROVIDERS: Readonly<Record<string, AcmeProvider>> = {
  "O=Let's Encrypt, CN=R11": "letsencrypt",
  "O=Google Trust Services, CN=WR1": "google",
  "O=Sectigo Limited, CN=Sectigo Public Server Authentication CA DV R36": "sectigo",
  "O=DigiCert Inc, CN=DigiCert TLS RSA SHA256 2020 CA1": "digicert",
};
const STATED: readonly [validation: string, oid: string][] = [
  ["domain", "2.23.140.1.2.1"],
  ["organization", "2.23.140.1.2.2"],
  ["individual", "2.23.140.1.2.3"],
  ["extended", "2.23.140.1.1"],
];

function detect(certificate: Certificate): AcmeProvider | null {
  const { text } = certificate.issuer;
  return detectAcmeIssuance({ issuer: text, commonName: "www.example.org", certificate: () => certificate });
}

async function issued(ca: TestCa, input: CertificateInput): Promise<AcmeProvider | null> {
  return detect((await ca.issue({ cn: "www.example.org", ...input })).certificate);
}

for (const [subject, provider] of Object.entries(PROVIDERS)) {
  Deno.test(`${provider}: a server's certificate matches; an authority's and a root never do`, async () => {
    const ca = await TestCa.root({ key: "ed25519", subject });
    const below = await ca.intermediate({ cn: "Below", key: "ed25519" });
    assert.equal(await issued(ca, {}), provider);
    assert.equal(detect(below.certificate), null);
    assert.equal(detect(ca.certificate), null);
  });

  Deno.test(`${provider}: a certificate that is not for TLS servers does not match`, async () => {
    const ca = await TestCa.root({ key: "ed25519", subject });
    assert.equal(await issued(ca, { extendedKeyUsage: ["codeSigning"] }), null);
    assert.equal(await issued(ca, { extendedKeyUsage: ["serverAuth", "clientAuth"] }), provider);
  });

  Deno.test(`${provider}: a stated validation method counts for authorities that also issue without ACME`, async () => {
    const ca = await TestCa.root({ key: "ed25519", subject });
    const always = provider === "letsencrypt" || provider === "google";
    for (const [validation, oid] of STATED) {
      const expected = always || validation === "domain" ? provider : null;
      assert.equal(await issued(ca, { extensions: [ext.certificatePolicies([oid])] }), expected, validation);
    }
  });

  Deno.test(`${provider}: with only metadata the issuer decides, unless it is also the subject`, () => {
    const detectNamed = (commonName: string): AcmeProvider | null =>
      detectAcmeIssuance({ issuer: subject, commonName, certificate: () => undefined });
    assert.equal(detectNamed("www.example.org"), provider);
    assert.equal(detectNamed(subject.split("CN=")[1]!.toUpperCase()), null);
  });
}

Deno.test("a self-signed certificate that is not a CA does not match", async () => {
  const { certificate } = await TestCa.selfSigned({ subject: "O=Let's Encrypt, CN=R11", key: "ed25519" });
  assert.equal(detect(certificate), null);
});
