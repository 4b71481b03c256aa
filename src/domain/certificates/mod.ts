export { SET_ASIDE, unarchived } from "./archive.ts";
export { changeStored } from "./change_stored.ts";
export { countByObject, type CountedBy } from "./count_by_object.ts";
export { divideNames } from "./divide_names.ts";
export {
  EXPIRY_STATUSES,
  type ExpiryContext,
  expiryOf,
  type ExpiryStatus,
  expiryStatus,
  expiryStatusSql,
  isExpired,
  overdueSql,
  type OwnExpiry,
  passedPart,
} from "./expiry.ts";
export { readFindings, type StoredFindings } from "./findings.ts";
export {
  acmeColumns,
  cacheCertificate,
  cachedCertificate,
  NEEDED_FIELDS,
  PEM_FIELDS,
  unreadable,
} from "./prepare.ts";
export { moveAssignments, REPLACEMENT_REASONS, type Succession } from "./replacement.ts";
export { inUseSql } from "./compliance_filters.ts";
export { hasIssuerChain, issuerChainSql, pemTextSql, readPemText } from "./pem_texts.ts";
export { isCurrent } from "./identity_fields.ts";
export {
  ALGORITHMS,
  type Certificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  CHAIN_STATUSES,
  STATUSES,
} from "./resource.ts";
export {
  type ComparedCertificate,
  compareRenewal,
  fingerprintOf,
  isIssuedByName,
  lifeInDays,
  type RenewalWarning,
  renewalWarnings,
} from "./renewal_warnings.ts";
export { isProvisional } from "./presence.ts";
export { assignedOrServedSql, mayViewUses } from "./served.ts";
export {
  findRenewable,
  lostNames,
  namesOf,
  type NewCertificate,
  noSharedName,
  type Renewable,
  sameNamesSql,
  shareName,
} from "./same_names.ts";
