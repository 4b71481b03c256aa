/** Usages and kinds from basic constraints and extended key usages. */

import assert from "node:assert/strict";
import { kindOf, type Usage, usagesOf } from "../../src/x509/mod.ts";
import { type CertificateInput, TestCa } from "../support/test_ca/mod.ts";
import { parseCertificate } from "../../src/x509/mod.ts";

const CASES: readonly [ca: boolean | undefined, purposes: string[] | undefined, usages: Usage[]][] = [
  [undefined, undefined, ["any"]],
  [false, undefined, ["any"]],
  [undefined, ["anyExtendedKeyUsage"], ["any"]],
  [undefined, ["clientAuth", "serverAuth", "serverAuth"], ["server_auth", "client_auth"]],
  [undefined, ["msServerGatedCrypto"], ["server_auth"]],
  [undefined, ["clientAuth", "msSmartcardLogon"], ["client_auth", "smart_card"]],
  [undefined, ["codeSigning"], ["code_signing"]],
  [undefined, ["timeStamping", "OCSPSigning"], ["time_stamping", "ocsp_signing"]],
  [undefined, ["documentSigning", "msDocumentSigning"], ["document_signing"]],
  [undefined, ["1.2.3.4", "ipsecIKE"], ["other"]],
  [true, undefined, ["ca"]],
  [true, ["serverAuth", "clientAuth"], ["server_auth", "client_auth", "ca"]],
];

Deno.test("usages are the extended key usages in the inventory's words", () => {
  for (const [ca, extendedKeyUsage, usages] of CASES) {
    const found = usagesOf({
      ...(ca === undefined ? {} : { basicConstraints: { ca } }),
      ...(extendedKeyUsage === undefined ? {} : { extendedKeyUsage }),
    });
    assert.deepEqual(found, usages, JSON.stringify([ca, extendedKeyUsage]));
  }
});

const KINDS: readonly [kind: string, input: CertificateInput, selfSigned?: true][] = [
  ["server", { cn: "www.example.com" }],
  ["server", { cn: "www.example.com", extendedKeyUsage: ["clientAuth", "serverAuth"] }],
  ["server", { cn: "anything", extendedKeyUsage: [] }],
  ["client", { cn: "device 7", extendedKeyUsage: ["clientAuth", "emailProtection"] }],
  ["other", { cn: "Signer", extendedKeyUsage: ["codeSigning"] }],
  ["ca", { cn: "Example Issuing CA", ca: true }],
  ["ca", { cn: "issuing.example.com", ca: true }],
  ["ca", { cn: "Example Root", ca: true }, true],
  ["server", { cn: "www.example.com", ca: true }, true],
  ["ca", { cn: "localhost", ca: true }, true],
  ["server", { cn: "Router", ca: true, sans: ["10.0.0.1"] }, true],
  ["ca", { cn: "Example Root", ca: true, sans: ["email:ca@example.com"] }, true],
];

Deno.test("a certificate that names a host is a server's, even if it may issue certificates", async () => {
  const root = await TestCa.root({ cn: "Root" });
  for (const [kind, input, selfSigned] of KINDS) {
    const { der } = selfSigned ? await TestCa.selfSigned(input) : await root.issue(input);
    const { certificate } = parseCertificate(der);
    assert(certificate !== undefined);
    assert.equal(kindOf(certificate), kind, JSON.stringify(input));
  }
});
