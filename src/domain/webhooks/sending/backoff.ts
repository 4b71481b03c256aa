/** When a message that did not arrive is sent again. */

import type { Millis } from "../../../base/clock.ts";
import {
  BREAKER_FAILURES,
  MAX_PROBE_PAUSE_MS,
  MAX_RETRY_AFTER_MS,
  RETRY_JITTER,
  RETRY_PAUSES_MS,
} from "../../../base/limits.ts";

/** A number of chance, from 0 up to 1. */
export type Chance = () => number;

/**
 * Milliseconds until the next attempt, after `attempts` failed ones; undefined when there is to be none. What the
 * receiver asks for (`Retry-After`) is honoured where it is longer.
 */
export function retryPause(
  attempts: number,
  { chance, retryAfter, now }: { chance: Chance; retryAfter: string | null; now: Millis },
): number | undefined {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(jittered(pause, chance), Math.min(askedPause(retryAfter, now), MAX_RETRY_AFTER_MS));
}

/** Milliseconds until a webhook that failed `failures` times in a row is tried again; undefined below the limit. */
export function probePause(failures: number, chance: Chance): number | undefined {
  const beyond = failures - BREAKER_FAILURES;
  if (beyond < 0) return undefined;
  const pause = RETRY_PAUSES_MS[Math.min(beyond, RETRY_PAUSES_MS.length - 1)] as number;
  return jittered(Math.min(pause, MAX_PROBE_PAUSE_MS), chance);
}

function jittered(pause: number, chance: Chance): number {
  return Math.round(pause * (1 + RETRY_JITTER * chance()));
}

/** Milliseconds that `Retry-After` asks for: seconds, or an HTTP date (RFC 9110 §10.2.3); 0 for what is neither. */
function askedPause(text: string | null, now: Millis): number {
  if (text === null) return 0;
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * 1000;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
