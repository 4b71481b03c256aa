import assert from "node:assert/strict";
import { ACME_PROVIDERS, type AcmeProvider, detectAcmeProvider } from "../../src/x509/mod.ts";
import { TestCa } from "../support/test_ca/mod.ts";

Deno.test("seven providers are known, staging before production", () => {
  assert.deepEqual(ACME_PROVIDERS, [
    "letsencrypt_staging",
    "letsencrypt",
    "zerossl",
    "buypass",
    "google",
    "sectigo",
    "digicert",
  ]);
});

for (
  const [issuer, provider] of [
    ["C=US, O=(STAGING) Let's Encrypt, CN=(STAGING) Artificial Apricot R3", "letsencrypt_staging"],
    ["CN=Fake LE Intermediate X1", "letsencrypt_staging"],
    ["CN=fake le root x1", "letsencrypt_staging"],
    ["C=US, O=Let's Encrypt, CN=R3", "letsencrypt"],
    ["C=US, O=Let's Encrypt, CN=R10", "letsencrypt"],
    ["C=US, O=Let's Encrypt, CN=E9", "letsencrypt"],
    ["O=LET'S ENCRYPT, CN=YE2", "letsencrypt"],
    ["CN=Let's Encrypt Authority X3,O=Let's Encrypt,C=US", "letsencrypt"],
    ["/C=US/O=Let's Encrypt/CN=R11", "letsencrypt"],
    ["C = US, O = Let's Encrypt, CN = E5", "letsencrypt"],
    ["O=Let’s Encrypt", "letsencrypt"],
    ["Let's Encrypt R3", "letsencrypt"],
    ["C=AT, O=ZeroSSL, CN=ZeroSSL RSA Domain Secure Site CA", "zerossl"],
    ["C=NO, O=Buypass AS-983163327, CN=Buypass Class 2 CA 5", "buypass"],
    ["C=US, O=Google Trust Services LLC, CN=WR1", "google"],
    ["CN=GTS CA 1C3", "google"],
    ["C=GB, O=Sectigo Limited, CN=Sectigo RSA Domain Validation Secure Server CA", "sectigo"],
    ["C=US, O=DigiCert Inc, CN=DigiCert TLS RSA SHA256 2020 CA1", "digicert"],
    ["C=US, O=DigiCert\\, Inc., CN=x", "digicert"],
    ["2.5.4.10=Sectigo Limited", "sectigo"],
    ["CN=Sectigo DigiCert Joint CA", "sectigo"],
    ["C=US, O=Acme, CN=R3", null],
    ["CN=R3", null],
    ["CN=E1", null],
    ["O=Acme, OU=DigiCert reseller, CN=Acme CA", null],
    ["O=Acme, L=Sectigo", null],
    ["O=Acme, OU=see Let's Encrypt, CN=x", null],
    ["OU=a\\, CN=DigiCert", null],
    ["O=NotZeroSSLish", null],
    ["O=GTS CARS", null],
    ["", null],
  ] as const satisfies readonly [string, AcmeProvider | null][]
) {
  Deno.test(`the issuer "${issuer}" is ${provider ?? "no ACME provider"}`, () => {
    assert.equal(detectAcmeProvider(issuer), provider);
  });
}

Deno.test("a certificate's own issuer name is detected like its text", async () => {
  const ca = await TestCa.root({ key: "ed25519", subject: "C=US, O=Let's Encrypt, CN=R3" });
  const other = await TestCa.root({ key: "ed25519", subject: "O=Acme, OU=DigiCert, CN=Let us encrypt" });
  for (const [{ certificate }, provider] of [[ca, "letsencrypt"], [other, null]] as const) {
    assert.equal(detectAcmeProvider(certificate.issuer), provider);
    assert.equal(detectAcmeProvider(certificate.issuer.text), provider);
  }
});
