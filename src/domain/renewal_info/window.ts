/** The parts of ACME Renewal Information (RFC 9773) that need neither a clock nor a network. */

import { z } from "zod";
import { DAY_MS, HOUR_MS, type Millis, MINUTE_MS } from "../../base/clock.ts";
import { webUrlFault } from "../../base/web_url.ts";
import { type Certificate, relativeNames } from "../../x509/mod.ts";

/** Longest explanation URL that is stored. */
const MAX_URL_CHARS = 500;

/** Directories of authorities whose certificates name none, by the organization of the issuer. */
const DIRECTORIES: readonly (readonly [organization: string, url: string])[] = [
  ["Let's Encrypt", "https://acme-v02.api.letsencrypt.org/directory"],
  ["(STAGING) Let's Encrypt", "https://acme-staging-v02.api.letsencrypt.org/directory"],
];

/** When an authority suggests that a certificate is renewed. */
export interface RenewalWindow {
  readonly start: Millis;
  readonly end: Millis;
  /** An http or https URL for people; empty without one. */
  readonly explanationUrl: string;
}

/** Returns the ACME directory of an issuer that is known without any setting; empty if there is none. */
export function directoryOf({ issuer }: Certificate): string {
  const names = relativeNames(issuer.text);
  return DIRECTORIES.find(([organization]) => names.includes(`O=${organization}`))?.[1] ?? "";
}

/**
 * Returns the identifier of a certificate: the key identifier of its authority and its serial number, as the bytes of
 * their DER, in base64url (RFC 9773 §4.1). undefined without a key identifier.
 */
export function certIdOf({ authorityKeyId, serial }: Certificate): string | undefined {
  if (authorityKeyId === undefined) return undefined;
  return [authorityKeyId, serial]
    .map((bytes) => bytes.toBase64({ alphabet: "base64url", omitPadding: true })).join(".");
}

const directory = z.object({ renewalInfo: z.url({ protocol: /^https?$/ }) });
const time = z.iso.datetime({ offset: true });
const info = z.object({
  suggestedWindow: z.object({ start: time, end: time }),
  explanationURL: z.unknown().optional(),
});

/** Returns the URL of the resource for renewal information in an ACME directory; undefined if it has none. */
export function resourceIn(text: string): string | undefined {
  return directory.safeParse(parsed(text)).data?.renewalInfo;
}

/** Reads renewal information. Returns undefined if it is malformed, or the window ends before it begins. */
export function readWindow(text: string): RenewalWindow | undefined {
  const { data } = info.safeParse(parsed(text));
  if (data === undefined) return undefined;
  const [start, end] = [Date.parse(data.suggestedWindow.start), Date.parse(data.suggestedWindow.end)];
  const { explanationURL: url } = data;
  const isUrl = typeof url === "string" && url.length <= MAX_URL_CHARS && webUrlFault(url) === undefined;
  return start < end ? { start, end, explanationUrl: isUrl ? url : "" } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the time until the next request, from the header Retry-After: seconds or a date, at least a minute and at most
 * a day; six hours without it (RFC 9773 §4.3.2).
 */
export function pauseOf(retryAfter: string | null, now: Millis): Millis {
  const text = retryAfter?.trim() ?? "";
  const until = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN;
  const pause = /^\d+$/.test(text) ? 1_000 * Number(text) : until - now;
  return Number.isNaN(pause) ? 6 * HOUR_MS : Math.min(Math.max(pause, MINUTE_MS), DAY_MS);
}

/** Returns the time until a failed request is repeated: as long as nothing was known, but not longer than a day. */
export function retryPause(knownAt: Millis | null, now: Millis): Millis {
  return Math.min(Math.max(now - (knownAt ?? now - 6 * HOUR_MS), 5 * MINUTE_MS), DAY_MS);
}
