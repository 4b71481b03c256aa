/** The sentences about an object in a message. */

import { expiryText } from "../../base/amounts.ts";
import { parseDatetime } from "../../base/clock.ts";
import { displayOf } from "../endpoints/mod.ts";
import type { NoticeEvent } from "./event_names.ts";
import { MAX_NAMED_TARGETS, type NoticeObject } from "./read_details.ts";

/** Maximum length of a name or a reason in a message. */
const MAX_NOTICE_TEXT_CHARS = 200;

/** How urgent a notice is. */
export type Severity = "critical" | "warning" | "info";

interface SentenceInput {
  readonly event: NoticeEvent;
  readonly object: NoticeObject;
  readonly detail: string;
  readonly escalated: boolean;
  /** Objects to which the certificate is assigned. */
  readonly targets: readonly string[];
  /** Calendar days (UTC) until the certificate expires; negative in the past. */
  readonly days: number;
  readonly criticalDays: number;
}

/** A notice as text. */
interface Sentence {
  readonly severity: Severity;
  readonly title: string;
  readonly lines: readonly string[];
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns a text on one line with at most `max` UTF-16 units, because most services count these. */
export function shortened(given: string, max: number = MAX_NOTICE_TEXT_CHARS): string {
  // Removes what cannot be displayed: control characters could start a new header line or change the
  // direction of the text.
  return cutText(given.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim(), max);
}

/** Cuts a text without splitting a character. */
export function cutText(given: string, max: number): string {
  const text = given.toWellFormed();
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Formats a day as `29 Nov 2026` (UTC). */
export function dayText(datetime: unknown): string {
  const at = new Date(parseDatetime(String(datetime)) ?? 0);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** Formats a time as `29 Nov 2026, 08:00 UTC`. */
function timeText(datetime: unknown): string {
  return `${dayText(datetime)}, ${String(datetime).slice(11, 16)} UTC`;
}

/** How urgent an event is, and what the title says about the certificate or endpoint. */
type Predicate = readonly [severity: Severity, predicate: string];

const PREDICATES: Partial<Record<NoticeEvent, (facts: SentenceInput) => Predicate>> = {
  expiring: expiry,
  expired: expiry,
  renewed: () => ["info", "was renewed"],
  chain_broken: ({ detail }) => ["critical", `has an invalid chain (${detail.replaceAll("_", " ")})`],
  certificate_revoked: () => ["critical", "was revoked by its authority"],
  certificate_revocation_unavailable: () => [
    "warning",
    "has had no answer about its revocation for three days",
  ],
  certificate_renewal_window_moved: ({ detail }) => [
    "warning",
    `should be renewed from ${dayText(detail)}, earlier than its authority said before`,
  ],
  new_certificate: ({ days, object }) => [
    "info",
    `was added, ${days < 0 ? "expired" : "valid until"} ${dayText(object.valid_to)}`,
  ],
  unknown_served: ({ object: { discovered_via: via } }) => [
    "warning",
    `was not in the inventory and is served${via ? ` at ${shortened(String(via))}` : ""}`,
  ],
  incident_opened: ({ detail }) => ["critical", `must be replaced (${shortened(detail)})`],
  incident_reminder: ({ detail }) => ["critical", `must still be replaced (${shortened(detail)})`],
  endpoint_unreachable: () => ["warning", "does not answer"],
  endpoint_wrong: ({ object: { states } }) => [
    "critical",
    `serves ${Array.isArray(states) && states.includes("revoked") ? "a revoked" : "the wrong"} certificate`,
  ],
  endpoint_superseded: () => ["critical", "still serves a certificate that was replaced"],
  endpoint_invalid: () => ["critical", "is not accepted by clients"],
  endpoint_recovered: () => ["info", "is as expected again"],
};

function expiry({ event, object, days, criticalDays }: SentenceInput): Predicate {
  const when = `${expiryText(days, days < 0 || event === "expired")} (${dayText(object.valid_to)})`;
  return [
    event === "expired" || days <= criticalDays ? "critical" : "warning",
    object.replaced_by ? `was replaced, is still served at an endpoint, and ${when}` : when,
  ];
}

/** Describes a notice: what, when, where, who. */
export function sentence(facts: SentenceInput): Sentence {
  const { event, object, detail } = facts;
  const predicate = PREDICATES[event]?.(facts);
  if (predicate !== undefined) {
    return event.startsWith("endpoint_")
      ? endpointSentence(facts, predicate)
      : certificateSentence(facts, predicate);
  }
  switch (event) {
    case "agent_silent": {
      const agent = shortened(String(object.source).replace(/^agent:/, ""));
      return {
        severity: "warning",
        title: `Agent ${agent} has stopped reporting`,
        lines: [shortened(detail), "Its endpoints are not monitored until it reports again."],
      };
    }
    case "policy_failed":
      return policySentence(object);
    case "request_open_too_long":
      return {
        severity: "warning",
        title: `Signing request for ${shortened(String(object.common_name))} has been open since ${
          dayText(object.created)
        }`,
        lines: [
          `Status: ${object.status}`,
          ...(object.requested_by ? [`Requested by: ${shortened(String(object.requested_by))}`] : []),
        ],
      };
    case "webhook_disabled":
      return {
        severity: "warning",
        title: `Webhook ${shortened(String(object.name))} was disabled`,
        lines: [shortened(String(object.disabled_reason))],
      };
  }
  throw new Error(`Event "${event}" has no sentence`);
}

function certificateSentence(
  { event, object, detail, targets, escalated }: SentenceInput,
  [severity, predicate]: Predicate,
): Sentence {
  const named = targets.slice(0, MAX_NAMED_TARGETS).map((target) => shortened(target)).join(", ");
  const further = targets.length > MAX_NAMED_TARGETS ? " and more" : "";
  const owner = object.owner?.contact.display;
  const note = typeof object.renewal_note === "string" ? shortened(object.renewal_note) : "";
  const title = [
    `${shortened(String(object.common_name))} ${predicate}${
      targets.length === 0 ? "" : `, assigned to ${named}${further}`
    }`,
    ...(owner === undefined ? [] : [`owner ${shortened(owner)}`]),
    ...(note === "" ? [] : [`renewal note: ${note}`]),
  ].join("; ");
  const { tenant } = object;
  return {
    severity,
    title,
    lines: [
      ...(escalated ? ["Nobody has acknowledged an earlier notice."] : []),
      ...(object.replaced_by && event !== "expiring"
        ? [`Successor: ${shortened(object.replaced_by.display)}`]
        : []),
      ...(event === "certificate_revoked" ? [shortened(detail)] : []),
      `Issuer: ${shortened(String(object.issuer))}`,
      `Serial number: ${shortened(String(object.serial_number))}`,
      ...(tenant ? [`Tenant: ${shortened(tenant.display)}`] : []),
    ],
  };
}

/** Describes an endpoint: where, what, since when, and its current state if it has changed since. */
function endpointSentence(
  { object, detail }: SentenceInput,
  [severity, predicate]: Predicate,
): Sentence {
  const { assigned_object: assigned, certificate: served } = object;
  const { tenant } = object;
  return {
    severity,
    title: `Endpoint ${shortened(displayOf(object))} ${predicate}${
      assigned ? `, on ${shortened(assigned.display)}` : ""
    }`,
    lines: [
      shortened(detail),
      ...(object.state_message === detail ? [] : [`Now: ${shortened(String(object.state_message))}`]),
      ...(served ? [`Certificate: ${shortened(served.display)}`] : []),
      ...(object.last_changed ? [`Since: ${timeText(object.last_changed)}`] : []),
      ...(tenant ? [`Tenant: ${shortened(tenant.display)}`] : []),
    ],
  };
}

function policySentence({ certificate, policy, message, severity }: NoticeObject): Sentence {
  const name = certificate?.display ?? "A certificate";
  const rule = policy?.display;
  return {
    severity: severity as Severity,
    title: `${shortened(name)} fails ${
      rule === undefined ? "a compliance policy" : `policy ${shortened(rule)}`
    }`,
    lines: [shortened(String(message))],
  };
}
