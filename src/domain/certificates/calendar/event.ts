/** From a certificate to the day in the calendar on which it expires. */

import { sha256Hex } from "../../../base/bytes.ts";
import { parseDatetime } from "../../../base/clock.ts";
import { MAX_CALENDAR_TEXT_CHARS } from "../../../base/limits.ts";
import type { CalendarEvent } from "../../../formats/mod.ts";
import type { ExpiringCertificate } from "./expiries.ts";

/**
 * The event; all of it follows from the certificate, so that it changes with that only. It leads to the certificate's
 * page: whoever follows a link in a calendar is a person.
 */
export function eventOf(
  certificate: ExpiringCertificate,
  { alarmDays, baseUrl }: { alarmDays: number | null; baseUrl: string },
): CalendarEvent {
  const { id, common_name, serial_number, issuer, status, valid_to, tenant } = certificate;
  const lines = [
    `Valid to: ${valid_to}`,
    `Status: ${status}`,
    `Issuer: ${shortened(issuer)}`,
    `Serial number: ${serial_number}`,
    ...(tenant === null ? [] : [`Tenant: ${shortened(tenant.display)}`]),
  ];
  return {
    uid: nameUuid(`certmgr.certificate ${id} ${certificate.created}`),
    day: moment(valid_to),
    summary: `${shortened(common_name)} expires`,
    description: lines.join("\n"),
    url: `${baseUrl}/certificates/${id}/`,
    changed: moment(certificate.last_updated),
    alarmDays,
  };
}

/** The same for the same name, whatever address the service has; nobody else's (RFC 9562 §5.8). */
function nameUuid(name: string): string {
  const hex = sha256Hex(name);
  const variant = (parseInt(hex.charAt(16), 16) & 3 | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
    .concat(hex.slice(20, 32)).join("-");
}

function moment(text: string): number {
  return parseDatetime(text) as number;
}

/** Whole characters only. */
function shortened(text: string): string {
  const chars = [...text.slice(0, 2 * MAX_CALENDAR_TEXT_CHARS)];
  return chars.length <= MAX_CALENDAR_TEXT_CHARS && text.length <= 2 * MAX_CALENDAR_TEXT_CHARS
    ? text
    : `${chars.slice(0, MAX_CALENDAR_TEXT_CHARS).join("")}…`;
}
