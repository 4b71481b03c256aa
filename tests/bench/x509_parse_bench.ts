/** Measures how fast certificates are parsed; the runtime's native parser (fewer fields, lazily) is the upper limit. */

import { X509Certificate } from "node:crypto";
import { describeCertificate } from "../../src/domain/certificates/chain/details.ts";
import { holdsPrivateKey, inventoryFields, parseCertificate, readCertificates } from "../../src/x509/mod.ts";
import { ext, pkcs7, TestCa } from "../support/test_ca/mod.ts";

const root = await TestCa.root({ cn: "Bench Root", key: "p256" });
const input = {
  subject: "C=DE, O=Acme GmbH, CN=www.acme.example",
  sans: ["www.acme.example", "acme.example", "api.acme.example", "IP:192.0.2.1"],
  extensions: [
    ext.certificatePolicies(["2.23.140.1.2.1"]),
    ext.authorityInfoAccess({ ocsp: ["http://ocsp.example"], caIssuers: ["http://ca.example/i.cer"] }),
    ext.crlDistributionPoints(["http://crl.example/1.crl"]),
    ext.signedTimestamps(2),
  ],
};
const rsa = await root.issue({ ...input, key: "rsa2048" });
const p256 = await root.issue({ ...input, key: "p256" });
const hundred = pkcs7(Array<Uint8Array>(100).fill(p256.der));
const parsed = p256.certificate;

const NATIVE_FIELDS = [
  "subject",
  "issuer",
  "serialNumber",
  "validFrom",
  "validTo",
  "subjectAltName",
  "fingerprint256",
] as const;

for (const [name, { der, pem }] of [["RSA-2048", rsa], ["P-256", p256]] as const) {
  Deno.bench(`${name}: all fields and extensions`, { group: name, baseline: true }, () => {
    parseCertificate(der);
  });
  Deno.bench(`${name}: from PEM to the inventory's fields`, { group: name }, () => {
    inventoryFields(readCertificates(pem).members[0]!.certificate);
  });
  Deno.bench(`${name}: native, with the fields of the inventory`, { group: name }, () => {
    const native = new X509Certificate(pem);
    // Each getter does its own work.
    for (const field of NATIVE_FIELDS) native[field];
  });
}

Deno.bench("PKCS#7 of 100 certificates", () => {
  readCertificates(hundred);
});

Deno.bench("details of a certificate", () => {
  describeCertificate(parsed);
});

Deno.bench("key guard: a short field", { group: "key guard" }, () => {
  holdsPrivateKey("C=US, O=Let's Encrypt, CN=R3");
});

Deno.bench("key guard: a certificate in PEM", { group: "key guard" }, () => {
  holdsPrivateKey(p256.pem);
});
