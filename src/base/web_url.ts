/** Validation of http and https URLs. */

import { type Finding, finding } from "./findings.ts";

/**
 * Characters that URL parsers ignore (WHATWG URL, "basic URL parser"), so that the stored URL would differ
 * from the one that is used.
 */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const SKIPPED = /[\x00-\x20\x7f-\xa0\u2028\u2029\\]/;

/** The finding about a text that is not a URL. It does not quote the text, which can contain a key. */
export const INVALID_URL = finding("invalid_url");

/** Host names and addresses of this machine, as `URL.hostname` has them. */
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Returns whether the host of a URL is this machine, so that nobody else reads what is sent without TLS. */
export function isThisMachine({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/**
 * Returns why a token must not be sent to a database server: others could read it. undefined with TLS, and on this
 * machine.
 */
export function tokenFault(url: string): string | undefined {
  const target = new URL(url);
  const isPlain = target.protocol === "http:" || target.search === "?tls=0";
  return !isPlain || isThisMachine(target)
    ? undefined
    : `A token would be sent to ${target.host} without encryption. Use https:// or libsql://.`;
}

/** Returns why a text is not an http or https URL with a host; undefined if it is. */
export function webUrlFault(text: string): Finding | undefined {
  if (SKIPPED.test(text)) return finding("url_characters");
  const url = URL.parse(text);
  if (url === null) return INVALID_URL;
  if (url.protocol !== "https:" && url.protocol !== "http:") return finding("url_scheme");
  // Parsers interpret "https:///path" and "https:path" as the host "path".
  return /^https?:\/\/[^/?#]/i.test(text) ? undefined : finding("url_without_host");
}
