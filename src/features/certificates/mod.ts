/** Certificates. */

export { changeStored } from "./change_stored.ts";
export { EXPIRY_STATUSES, type ExpiryStatus, expiryStatus, expiryStatusSql, isExpired } from "./expiry.ts";
export { notePem, unreadable } from "./prepare.ts";
export { ALGORITHMS, certificates, CHAIN_STATUSES, STATUSES } from "./resource.ts";
