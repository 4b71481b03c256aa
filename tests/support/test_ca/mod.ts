/**
 * A certification authority in code, for every test that needs certificates:
 *
 *     const root = await TestCa.root({ cn: "Acme Root" });
 *     const ca = await root.intermediate({ cn: "Acme CA 1" });
 *     const leaf = await ca.issue({ cn: "www.acme.example", notAfter: "2026-08-01" });
 *     leaf.pem; leaf.der; leaf.certificate.fingerprintSha256; leaf.key.privateKeyPem;
 *
 * Needs no permission. By default certificates are valid at {@link TEST_NOW}.
 */

export type { Hash, KeyKind, SignOptions } from "./algorithms.ts";
export { type CertificateInput, TEST_NOW, TestCa } from "./ca.ts";
export {
  buildCertificate,
  type CertificateFields,
  keyIdentifier,
  type TestCertificate,
  testCertificate,
} from "./certificate.ts";
export { buildCrl, type CrlInput, issuingPoint, reasonCode } from "./crl.ts";
export * as derWriter from "./der_writer.ts";
export * as ext from "./extensions.ts";
export { newKey, type Signature, storedKey, type TestKey, testKey } from "./keys.ts";
export {
  type AttributeInput,
  generalName,
  type GeneralNameInput,
  name,
  type NameInput,
  otherName,
} from "./names.ts";
export { contentInfo, indefiniteTlv, pkcs7, type Pkcs7Options } from "./pkcs7.ts";
export {
  buildRequest,
  extensionRequest,
  requestAttribute,
  type RequestInput,
  type TestRequest,
  testRequest,
} from "./request.ts";
