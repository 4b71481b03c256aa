/** Compliance: policies, their results, the report on them. */

export {
  bulkCheckCertificates,
  type BulkCompliance,
  checkCertificate,
  type ComplianceReport,
} from "./check_certificates.ts";
export { checks } from "./checks.ts";
export { policies, SEVERITIES } from "./policies.ts";
export { POLICY_TYPES } from "./rules/mod.ts";
