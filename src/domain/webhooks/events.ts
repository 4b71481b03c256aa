/** What webhooks may be told of: the one place to add a kind of event. */

import type { Resource } from "../../resource/mod.ts";
import { assignments } from "../assignments/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";

/**
 * Events that a webhook may select, by the names that its messages carry: changes (specification, Events), and
 * certificates that expire soon.
 */
export const WEBHOOK_EVENTS = ["created", "updated", "deleted", "certificate_expiring"] as const;
export type WebhookEvent = typeof WEBHOOK_EVENTS[number];

/** The event of a message that somebody asked for to try a webhook; none can be selected. */
export const TEST_EVENT = "test";

/** The resources whose changes are events. */
export const WEBHOOK_SUBJECTS: readonly Resource[] = [certificates, assignments, signingRequests];

/** Their object types. */
export const WEBHOOK_OBJECT_TYPES: readonly string[] = WEBHOOK_SUBJECTS.map((one) => one.objectType);
