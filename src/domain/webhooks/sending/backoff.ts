/** Pauses between the attempts to deliver a message. */

import type { Millis } from "../../../base/clock.ts";
import {
  BREAKER_FAILURES,
  MAX_PROBE_PAUSE_MS,
  MAX_RETRY_AFTER_MS,
  RETRY_JITTER,
  RETRY_PAUSES_MS,
} from "../limits.ts";

/** Returns a random number from 0 up to 1, as `Math.random` does. */
export type RandomSource = () => number;

/**
 * Returns the milliseconds until the next attempt, after `attempts` failed ones; undefined if there is none.
 * Respects a longer pause that the receiver requests (`Retry-After`).
 */
export function retryPause(
  attempts: number,
  { random, retryAfter, now }: { random: RandomSource; retryAfter: string | null; now: Millis },
): number | undefined {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(jittered(pause, random), Math.min(requestedPause(retryAfter, now), MAX_RETRY_AFTER_MS));
}

/**
 * Returns the milliseconds until a webhook is tried again after `failures` consecutive failures; undefined
 * below the limit.
 */
export function probePause(failures: number, random: RandomSource): number | undefined {
  const beyond = failures - BREAKER_FAILURES;
  if (beyond < 0) return undefined;
  const pause = RETRY_PAUSES_MS[Math.min(beyond, RETRY_PAUSES_MS.length - 1)] ?? MAX_PROBE_PAUSE_MS;
  return jittered(Math.min(pause, MAX_PROBE_PAUSE_MS), random);
}

function jittered(pause: number, random: RandomSource): number {
  return Math.round(pause * (1 + RETRY_JITTER * random()));
}

/**
 * Reads `Retry-After`, which is in seconds or an HTTP date (RFC 9110 §10.2.3), as milliseconds. Anything else
 * is 0.
 */
function requestedPause(text: string | null, now: Millis): number {
  if (text === null) return 0;
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * 1000;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
