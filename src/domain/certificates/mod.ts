/** Certificates. */

export { acmeColumns, storedAcmeProvider } from "./acme_columns.ts";
export { changeStored } from "./change_stored.ts";
export {
  EXPIRY_STATUSES,
  type ExpiryContext,
  type ExpiryStatus,
  expiryStatusSql,
  isExpired,
} from "./expiry.ts";
export { notePem, unreadable } from "./prepare.ts";
export { ALGORITHMS, certificates, CHAIN_STATUSES, IN_USE_STATUSES, STATUSES } from "./resource.ts";
