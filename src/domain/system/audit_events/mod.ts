/** The audit log: sign-ins, failures and changes of credentials. */

export { auditEvents } from "./resource.ts";
export { AUDIT_FORMATS, exportAudit } from "./export_audit.ts";
export { pruneAudit } from "./prune_audit.ts";
export { recordAudit } from "./record_audit.ts";
