/** Certificates, requests and bundles: bytes in, plain data out; no clock, no file, no network. */

export * from "./types.ts";
export { parseCertificate } from "./certificate.ts";
export { encodePem } from "./pem_write.ts";
