/** Exports of certificates. */

export { exportCertificate, exportCertificates } from "./export_certificates.ts";
export { EXPORT_PARAMETERS } from "./export_parameters.ts";
export { DEFAULT_FIELDS, EXPORT_FIELDS, EXTENDED_FIELDS } from "./fields.ts";
