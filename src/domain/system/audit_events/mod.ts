/** The audit log: sign-ins, failures and changes of credentials. */

export { AUDIT_EVENTS, type AuditEvent, auditEvents } from "./resource.ts";
export { AUDIT_FORMATS, exportAudit } from "./export_audit.ts";
export { pruneAudit } from "./prune_audit.ts";
export { type AuditClient, type AuditEntry, recordAudit, recordOwnAudit } from "./record_audit.ts";
