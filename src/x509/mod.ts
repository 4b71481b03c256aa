/**
 * Certificates, requests and bundles: bytes are converted to plain data, without a clock, files, network or
 * permissions. Chains are validated in `chain/mod.ts`.
 */

export * from "./types.ts";
export { ACME_PROVIDERS, type AcmeProvider, detectAcmeIssuance, detectAcmeProvider } from "./acme.ts";
export { containerOf, readCertificates, readingCertificates } from "./bundle.ts";
export { parseCertificate } from "./certificate.ts";
export {
  FAILURE_CODES,
  FINDING_CODES,
  type FindingCode,
  sectionOf,
  type Warning,
  warningsOf,
} from "./findings.ts";
export {
  allNames,
  colonHex,
  colonHexOf,
  coversHost,
  inventoryFields,
  issuerAndSerial,
  type Kind,
  kindOf,
  KINDS,
  namedMessage,
  type RequestFields,
  requestFields,
  sanText,
  type Usage,
  USAGES,
  usagesOf,
} from "./inventory.ts";
export { holdsPrivateKey, MIN_KEY_CHARS, PRIVATE_KEY_MESSAGE, searchingKey } from "./key_guard.ts";
export { relativeNames } from "./name_text.ts";
export { escapeValue } from "./names.ts";
export { POLICY_NAMES } from "./oids.ts";
export { encodePem, readPem } from "./pem.ts";
export { isPkcs12 } from "./key_forms.ts";
export { publicKeyOf } from "./public_key.ts";
export { parseRequest, readRequest } from "./request.ts";
export { REVOCATION_REASONS } from "./revocation/reasons.ts";
export { readRequestedName, type RequestedName } from "./san_input.ts";
export { decodeText, printable } from "./strings.ts";
export { type SignatureResult, verifySelfSignature } from "./verify_request.ts";
