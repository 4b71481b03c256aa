/** The audit log: sign-ins, failures and changes of credentials. */

export { type AuditEvent, auditEvents } from "./resource.ts";
export { AUDIT_FORMATS, exportAudit } from "./export_audit.ts";
export { pruneAudit } from "./prune_audit.ts";
export { type AuditClient, type AuditEntry, recordAudit } from "./record_audit.ts";
