/** Audit events: who signed in or failed to, from where, and whose credentials changed. Read-only. */

import { audit_events as table } from "../../../db/schema/mod.ts";
import { choice, datetime, defineResource, integer, text } from "../../../resource/mod.ts";

const AUDIT_EVENTS = [
  "sign_in",
  "sign_in_failed",
  "sign_out",
  "session_revoked",
  "password_changed",
  "token_created",
  "token_deleted",
  "user_provisioned",
  "user_deactivated",
  "second_factor_added",
  "second_factor_removed",
  "second_factor_reset",
  "recovery_codes_created",
  "recovery_code_used",
] as const;
export type AuditEvent = typeof AUDIT_EVENTS[number];

/** `core.auditevent`. Not part of the change log, because nothing in the inventory changes. */
export const auditEvents = defineResource({
  objectType: "core.auditevent",
  path: "core/audit-events",
  label: "audit event",
  table,
  fields: [
    datetime("time", { description: "When it happened.", readOnly: true }),
    choice("event", { description: "What happened.", choices: AUDIT_EVENTS, readOnly: true }),
    integer("user_id", {
      description: "Id of the user whose account it is about; null if there is none.",
      readOnly: true,
      nullable: true,
    }),
    text("username", { description: "Name of that user at the time.", readOnly: true }),
    text("address", { description: "IP address of the client; empty if it is not known.", readOnly: true }),
    text("user_agent", { description: "User agent of the client, as it reported it.", readOnly: true }),
    text("detail", { description: "How it was done, or why it failed.", readOnly: true }),
  ],
  brief: ["event", "username", "time"],
  displayNeeds: ["event", "username"],
  display: (row) => `${row.event} ${row.username}`,
  search: { fields: ["username", "address", "detail"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  untracked: true,
});
