/**
 * Plans which certificates existed and when each was added; depends only on the random stream. Days count from today,
 * 0.
 */

import type { Endpoint } from "./endpoints.ts";
import type { Random } from "./random.ts";

/** Days back to the first import. */
export const HISTORY_DAYS = 90;

/** One certificate of an endpoint. */
export interface PlannedCertificate {
  readonly endpoint: Endpoint;
  /** First and last day of validity. */
  readonly from: number;
  readonly to: number;
  /** Day on which it comes into the inventory, -{@link HISTORY_DAYS} to 0. */
  readonly arrives: number;
  readonly serial: Uint8Array;
  /** The one before it, which it takes the target of. */
  readonly replaces?: PlannedCertificate;
}

const SERIAL_BYTES = 16;
/** Shares of names that have expired, expire within two weeks, and expire within a month. */
const SPREAD = { expired: 0.1, critical: 0.07, warning: 0.08 };
/** The earliest and the latest expiry. */
const [OLDEST_END, FURTHEST_END] = [-60, 397];
/** ACME clients renew early; one in this many has stopped renewing. */
const ACME_FAILS = 0.07;
const ACME_LEAD = 30;

/** All certificates, each after the one that it replaces. */
export function planCertificates(endpoints: readonly Endpoint[], random: Random): PlannedCertificate[] {
  return endpoints.flatMap((endpoint) => generations(endpoint, random));
}

/** The certificates of one name: the current one and its predecessors, as far back as the history goes. */
function generations(endpoint: Endpoint, random: Random): PlannedCertificate[] {
  const { lifetime } = endpoint;
  const acme = endpoint.issuer.startsWith("letsencrypt");
  const spans = [spanEnding(lastDay(lifetime, { acme, random }), lifetime)];
  // A new name has no predecessor; ACME names exist during the whole history.
  const old = acme || random.chance(0.75);
  for (let first = spans[0] as Span; old && first.from > -HISTORY_DAYS; first = spans[0] as Span) {
    const lead = acme ? ACME_LEAD : random.between(2, 28);
    spans.unshift(spanEnding(first.from + lead, lifetime));
  }
  const planned: PlannedCertificate[] = [];
  for (const span of spans) {
    const before = planned.at(-1);
    planned.push({
      endpoint,
      ...span,
      arrives: Math.min(0, Math.max(-HISTORY_DAYS, span.from)),
      serial: serialNumber(random),
      ...(before === undefined ? {} : { replaces: before }),
    });
  }
  return planned;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spanEnding(to: number, lifetime: number): Span {
  return { from: to - lifetime, to };
}

/** The day on which the present certificate of a name ends. */
function lastDay(lifetime: number, { acme, random }: { acme: boolean; random: Random }): number {
  if (acme && !random.chance(ACME_FAILS)) return random.between(ACME_LEAD + 1, lifetime - 1);
  const { expired, critical, warning } = SPREAD;
  const share = random.between(0, 999) / 1000;
  if (share < expired) return random.between(Math.max(OLDEST_END, 5 - HISTORY_DAYS), -1);
  if (share < expired + critical) return random.between(0, 14);
  if (share < expired + critical + warning) return random.between(15, 30);
  return random.between(31, Math.min(FURTHEST_END, lifetime - 1));
}

/** A serial number is positive, and says its length by its first byte (RFC 5280 §4.1.2.2). */
export function serialNumber(random: Random): Uint8Array {
  const bytes = random.bytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes;
}
