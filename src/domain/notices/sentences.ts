/** The sentences about an object in a message. */

import { expiryText } from "../../base/amounts.ts";
import { parseDatetime } from "../../base/clock.ts";
import { displayOf } from "../endpoints/mod.ts";
import type { NoticeEvent } from "./event_names.ts";
import { MAX_NAMED_TARGETS, MAX_NOTICE_TEXT_CHARS } from "./limits.ts";
import type { NoticeObject } from "./read_details.ts";

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
function dayText(datetime: unknown): string {
  const at = new Date(parseDatetime(String(datetime)) ?? 0);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** Formats a time as `29 Nov 2026, 08:00 UTC`. */
function timeText(datetime: unknown): string {
  return `${dayText(datetime)}, ${String(datetime).slice(11, 16)} UTC`;
}

/** Describes a notice: what, when, where, who. */
export function sentence(facts: SentenceInput): Sentence {
  const { event, object } = facts;
  switch (event) {
    case "expiring":
    case "expired":
      return expirySentence(facts);
    case "renewed":
      return certificateSentence(facts, {
        severity: "info",
        predicate: "was renewed",
        more: successor(object),
      });
    case "chain_broken":
      return certificateSentence(facts, {
        severity: "critical",
        predicate: `has an invalid chain (${facts.detail.replaceAll("_", " ")})`,
      });
    case "new_certificate":
      return certificateSentence(facts, {
        severity: "info",
        predicate: facts.days < 0
          ? `was added, expired ${dayText(object.valid_to)}`
          : `was added, valid until ${dayText(object.valid_to)}`,
      });
    case "unknown_served":
      return certificateSentence(facts, {
        severity: "warning",
        predicate: `was not in the inventory and is served${
          object.discovered_via ? ` at ${shortened(String(object.discovered_via))}` : ""
        }`,
      });
    case "endpoint_unreachable":
      return endpointSentence(facts, { severity: "warning", predicate: "does not answer" });
    case "endpoint_wrong":
      return endpointSentence(facts, { severity: "critical", predicate: "serves the wrong certificate" });
    case "endpoint_superseded":
      return endpointSentence(facts, {
        severity: "critical",
        predicate: "still serves a certificate that was replaced",
      });
    case "endpoint_invalid":
      return endpointSentence(facts, { severity: "critical", predicate: "is not accepted by clients" });
    case "endpoint_recovered":
      return endpointSentence(facts, { severity: "info", predicate: "is as expected again" });
    case "agent_silent": {
      const agent = shortened(String(object.source).replace(/^agent:/, ""));
      return {
        severity: "warning",
        title: `Agent ${agent} has stopped reporting`,
        lines: [shortened(facts.detail), "Its endpoints are not monitored until it reports again."],
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
    case "job_failing":
      throw new Error("Jobs are described without an object");
  }
}

function successor({ replaced_by }: NoticeObject): string[] {
  return replaced_by ? [`Successor: ${shortened(replaced_by.display)}`] : [];
}

function expirySentence(facts: SentenceInput): Sentence {
  const { object, days, criticalDays, escalated } = facts;
  const day = dayText(object.valid_to);
  const when = `${expiryText(days, days < 0 || facts.event === "expired")} (${day})`;
  return certificateSentence(facts, {
    severity: facts.event === "expired" || days <= criticalDays ? "critical" : "warning",
    predicate: object.replaced_by ? `was replaced, is still served at an endpoint, and ${when}` : when,
    more: escalated ? ["Nobody has acknowledged an earlier notice."] : [],
  });
}

function certificateSentence(
  { object, targets }: SentenceInput,
  { severity, predicate, more = [] }: { severity: Severity; predicate: string; more?: readonly string[] },
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
      ...more,
      `Issuer: ${shortened(String(object.issuer))}`,
      `Serial number: ${shortened(String(object.serial_number))}`,
      ...(tenant ? [`Tenant: ${shortened(tenant.display)}`] : []),
    ],
  };
}

/** Describes an endpoint: where, what, since when, and its current state if it has changed since. */
function endpointSentence(
  { object, detail }: SentenceInput,
  { severity, predicate }: { severity: Severity; predicate: string },
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
