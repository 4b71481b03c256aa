/** OCSP (RFC 6960). Loaded when it is needed, because its library is. */

export { checkOcspResponse, type OcspQuestion, ocspRequest } from "./ocsp.ts";
