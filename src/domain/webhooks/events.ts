/** The events of webhooks. New ones are added here. */

import { OBJECT_TYPES, type ObjectType } from "../../auth/mod.ts";
import { type Resource, resourceOfType } from "../../resource/mod.ts";

/**
 * Events that a webhook can select, by their names in messages: changes (specification, Events), certificates that
 * expire soon, what their authorities say, and incidents that are opened, whose deadline passes, or that are closed.
 */
export const WEBHOOK_EVENTS = [
  "created",
  "updated",
  "deleted",
  "certificate_expiring",
  "certificate.revoked",
  "certificate.revocation_unavailable",
  "certificate.renewal_window_moved",
  "incident.opened",
  "incident.deadline",
  "incident.closed",
] as const;
export type WebhookEvent = typeof WEBHOOK_EVENTS[number];

/** The event of a test message, which webhooks cannot select. */
export const TEST_EVENT = "test";

/** Results and logs, which the service writes without change records. */
const UNCHANGING: readonly ObjectType[] = [
  "certmgr.compliancecheck",
  "certmgr.revocationcheck",
  "certmgr.revocationlist",
  "certmgr.observation",
  "certmgr.notificationdelivery",
  "extras.webhookdelivery",
  "core.objectchange",
];

/** The types of objects whose changes are events. */
export const WEBHOOK_OBJECT_TYPES: readonly string[] = OBJECT_TYPES.filter((type) =>
  !UNCHANGING.includes(type)
);

/** Returns the resources of these types, which are defined later than this module. */
export function webhookSubjects(): Resource[] {
  return WEBHOOK_OBJECT_TYPES.flatMap((type) => resourceOfType(type) ?? []);
}
