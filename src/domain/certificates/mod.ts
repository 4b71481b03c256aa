export { SET_ASIDE, unarchived } from "./archive.ts";
export { changeStored } from "./change_stored.ts";
export { countByObject, type CountedBy } from "./count_by_object.ts";
export { divideNames } from "./prepare.ts";
export {
  EXPIRY_STATUSES,
  type ExpiryContext,
  expiryOf,
  type ExpiryStatus,
  expiryStatus,
  expiryStatusSql,
  isExpired,
  lifeInDays,
  overdueSql,
  type OwnExpiry,
  passedPart,
} from "./expiry.ts";
export { readFindings, type StoredFindings } from "./pem_columns.ts";
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
export {
  chainHashSql,
  hasIssuerChain,
  issuerChainSql,
  pemTextSql,
  readPemText,
  readStored,
  type Stored,
} from "./pem_texts.ts";
export { isCurrent, issuerName, MIN_DIGITS, MIN_END_DIGITS, REVOCATION_STATUSES } from "./identity_fields.ts";
export {
  ALGORITHMS,
  AUTOMATIONS,
  BY_HAND,
  type Certificate,
  type CertificateCall,
  type CertificateRow,
  certificates,
  CHAIN_STATUSES,
  STATUSES,
} from "./resource.ts";
export {
  type ComparedCertificate,
  isIssuedByName,
  type RenewalWarning,
  renewalWarnings,
} from "./renewal_warnings.ts";
export { FROM_LIST, isFound, isProvisional, MEMBER_STATES } from "./presence.ts";
export { isWindowPassed, renewalWindowState } from "./renewal_info_fields.ts";
export { assignedOrServedSql, mayViewUses, tlsVersionFilter } from "./served.ts";
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
