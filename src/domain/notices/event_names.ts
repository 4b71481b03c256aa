/** The events that subscriptions may select. A new kind of event is added here. */

/**
 * The names of events, and their meanings. An event about an object contains the object's type. Users who may
 * not view the object are not notified.
 */
export const NOTICE_EVENTS = {
  expiring: "a certificate reaches one of the subscription's thresholds",
  expired: "a certificate has expired without a successor",
  renewed: "a certificate has a successor",
  chain_broken: "the chain of a certificate is no longer valid",
  certificate_revoked: "a certificate is revoked: its authority says so, or somebody has set its status",
  certificate_revocation_unavailable: "nobody has said for three days whether a certificate is revoked",
  certificate_renewal_window_moved:
    "the authority of a certificate asks for a renewal at least a day earlier than before",
  policy_failed: "a certificate fails a compliance policy",
  new_certificate: "a certificate was added",
  unknown_served: "an endpoint serves a certificate that was not in the inventory",
  endpoint_unreachable: "an endpoint does not answer",
  endpoint_wrong: "an endpoint serves a certificate that is not the expected one",
  endpoint_superseded: "an endpoint still serves a certificate that was replaced",
  endpoint_invalid: "an endpoint serves a certificate that clients reject",
  endpoint_recovered: "an endpoint is as expected again",
  agent_silent: "an agent has not reported for three intervals",
  request_open_too_long: "a signing request has been open for a week",
  incident_opened: "a certificate belongs to an incident that was opened",
  incident_reminder: "a certificate of an open incident has no successor yet",
  webhook_disabled: "a webhook was disabled because its receiver answered 410 (gone)",
} as const;

/** The name of an event. */
export type NoticeEvent = keyof typeof NOTICE_EVENTS;

export const NOTICE_EVENT_NAMES = Object.keys(NOTICE_EVENTS) as readonly NoticeEvent[];

/** The event of a test message, which subscriptions cannot select. */
export const TEST_NOTICE = "test";
/** The event of a message in which a user tells an owner about certificates. */
export const OWNER_TOLD = "owner_told";
