/** Exports of certificates. */

export {
  EXPORT_PARAMETERS,
  exportCertificate,
  exportCertificates,
  type ExportDocument,
} from "./export_certificates.ts";
export { DEFAULT_FIELDS, EXPORT_FIELDS, EXTENDED_FIELDS } from "./fields.ts";
