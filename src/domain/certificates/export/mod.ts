/** Exports of certificates. */

export { exportByBody } from "./export_by_body.ts";
export { exportCertificate, exportCertificates } from "./export_certificates.ts";
export { EXPORT_PARAMETERS } from "./export_parameters.ts";
export { DEFAULT_FIELDS, EXPORT_FIELDS, EXTENDED_FIELDS } from "./fields.ts";
