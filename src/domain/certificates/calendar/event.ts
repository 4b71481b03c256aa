/** Makes the calendar event for the day on which a certificate expires. */

import { sha256Hex } from "../../../base/bytes.ts";
import type { CalendarEvent } from "../../../formats/mod.ts";
import type { ExpiringCertificate } from "./expiries.ts";

/** Maximum length of each text in an event. */
const MAX_CALENDAR_TEXT_CHARS = 200;

/**
 * Returns the event of a certificate. It depends on the certificate alone, so it changes only when the
 * certificate does. It links to the certificate's page, because people follow links in calendars.
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
    day: timeOf(valid_to),
    summary: `${shortened(common_name)} expires`,
    description: lines.join("\n"),
    url: `${baseUrl}/certificates/${id}/`,
    changed: timeOf(certificate.last_updated),
    alarmDays,
  };
}

/** Returns a UUID that depends on the name alone, not on the address of the service (RFC 9562 §5.8). */
function nameUuid(name: string): string {
  const hex = sha256Hex(name);
  const variant = (parseInt(hex.charAt(16), 16) & 3 | 8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20)]
    .concat(hex.slice(20, 32)).join("-");
}

function timeOf(text: string): number {
  return Date.parse(text);
}

/** Shortens a text without splitting a character. */
function shortened(text: string): string {
  const chars = [...text.slice(0, 2 * MAX_CALENDAR_TEXT_CHARS)];
  return chars.length <= MAX_CALENDAR_TEXT_CHARS && text.length <= 2 * MAX_CALENDAR_TEXT_CHARS
    ? text
    : `${chars.slice(0, MAX_CALENDAR_TEXT_CHARS).join("")}…`;
}
