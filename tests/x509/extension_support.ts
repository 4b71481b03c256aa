/** Certificates that have exactly the extensions of a test. */

import assert from "node:assert/strict";
import { type Certificate, type CertificateReading, parseCertificate } from "../../src/x509/mod.ts";
import { ext, TestCa } from "../support/test_ca/mod.ts";

/** Returns the reading of a certificate with exactly these extensions. */
export async function reading(...extensions: ext.ExtensionInput[]): Promise<CertificateReading> {
  const without = Object.keys(ext.EXTENSION_OID) as ext.ExtensionName[];
  return parseCertificate((await TestCa.selfSigned({ key: "ed25519", without, extensions })).der);
}

/** Like {@link reading}, but the certificate must be readable. */
export async function read(...extensions: ext.ExtensionInput[]): Promise<Certificate> {
  const { certificate, findings } = await reading(...extensions);
  assert.ok(certificate, JSON.stringify(findings));
  return certificate;
}
