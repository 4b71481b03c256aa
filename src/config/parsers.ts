/** The texts that settings take. Each parser gives a value or throws {@link UnfitValue}. */

import { isKey, KEY_CHARS, passwordFault, readNetwork } from "../auth/mod.ts";
import { EXPECTED_THRESHOLD, listFault, parseThreshold } from "../base/expiry_threshold.ts";
import { webUrlFault } from "../base/web_url.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../base/limits.ts";
import { type AllowedHosts, parseAllowedHosts } from "../http/mod.ts";
import { UnfitValue } from "./setting.ts";

// deno-lint-ignore no-control-regex -- control characters are just what is looked for
const CONTROL = /[\x00-\x1f\x7f]/;

/** A whole number in decimal digits, both ends included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new UnfitValue(`a whole number from ${least} to ${most}`);
  };
}

/** A whole number of seconds, both ends included, as milliseconds. */
export function milliseconds(least: number, most: number): (text: string) => number {
  const seconds = wholeNumber(least, most);
  return (text) => 1_000 * seconds(text);
}

/** `true` or `false`. */
export function flag(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new UnfitValue("true or false");
}

/** One of a few words. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new UnfitValue(`one of ${words.join(", ")}`);
    return found;
  };
}

/** Any number of values separated by commas; none for the empty text. */
export function listOf<T>(parse: (text: string) => T): (text: string) => readonly T[] {
  return (text) => text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(parse);
}

/** An IP address or a network (`10.0.0.0/8`), in its usual spelling. */
export function network(text: string): string {
  const result = readNetwork(text);
  if ("network" in result) return result.network;
  throw new UnfitValue(result.error.replace(/^Expected /, ""));
}

/** Names, addresses and networks separated by commas. */
export function allowedHosts(text: string): AllowedHosts {
  try {
    return parseAllowedHosts(listOf((part) => part)(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UnfitValue(error.message.replace(/^Expected /, ""));
  }
}

/** An address to listen on: an IP address or a host name. */
export function hostName(text: string): string {
  const numeric = /^[\d.]+$/.test(text) || text.includes(":");
  const fit = numeric
    ? !text.includes("/") && "network" in readNetwork(text)
    : /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
  if (fit) return text;
  throw new UnfitValue("an IP address or a host name");
}

/** Scheme, host and port of a web address, as browsers send them; a slash at the end is taken off. */
export function webOrigin(text: string): string {
  const url = /[?#]/.test(text) || webUrlFault(text) !== undefined ? null : URL.parse(text);
  if (url !== null && url.href === `${url.origin}/`) return url.origin;
  throw new UnfitValue("scheme, host and port, such as https://certs.example.com");
}

/** A path in the file system. */
export function filePath(text: string): string {
  if (!CONTROL.test(text)) return text;
  throw new UnfitValue("a path without control characters");
}

/** The key of a token. */
export function tokenKey(text: string): string {
  if (isKey(text)) return text;
  throw new UnfitValue(`${KEY_CHARS} letters and digits`);
}

/** A password for somebody to sign in with. */
export function password(text: string): string {
  if (passwordFault(text) === undefined) return text;
  throw new UnfitValue(`${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters`);
}

/** A token that somebody else gave, to be sent in a header. */
export function headerToken(text: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw new UnfitValue("a token without blanks");
}

/** Thresholds of expiry notices separated by commas, or `none`. */
export function expiryThresholds(text: string): readonly string[] {
  if (text === "none") return [];
  const thresholds = listOf((part) => {
    if (parseThreshold(part) !== undefined) return part;
    throw new UnfitValue(`${EXPECTED_THRESHOLD}, separated by commas, or none`);
  })(text);
  const fault = listFault(thresholds);
  if (fault !== undefined) throw new UnfitValue(fault);
  return thresholds;
}
