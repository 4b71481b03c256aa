/** The events of webhooks. A new kind of event is added here. */

import type { Resource } from "../../resource/mod.ts";
import { assignments } from "../assignments/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { endpoints } from "../endpoints/mod.ts";
import { auditEvents } from "../system/audit_events/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";

/**
 * Events that a webhook may select, by the names that its messages carry: changes (specification, Events), and
 * certificates that expire soon.
 */
export const WEBHOOK_EVENTS = ["created", "updated", "deleted", "certificate_expiring"] as const;
export type WebhookEvent = typeof WEBHOOK_EVENTS[number];

/** The event of a test message; a webhook cannot select it. */
export const TEST_EVENT = "test";

/** The resources whose changes are events. */
export const WEBHOOK_SUBJECTS: readonly Resource[] = [
  certificates,
  assignments,
  signingRequests,
  endpoints,
  auditEvents,
];

/** Their object types. */
export const WEBHOOK_OBJECT_TYPES: readonly string[] = WEBHOOK_SUBJECTS.map((one) => one.objectType);
