/** The definition of a setting, and parsers, which return a value or throw {@link InvalidValue}. */

import { readNetwork } from "../base/addresses.ts";
import { HOUR_MS, MINUTE_MS } from "../base/clock.ts";
import { isKey, KEY_CHARS, passwordFault } from "../base/credential_rules.ts";
import { EXPECTED_THRESHOLD, listFault, parseThreshold } from "../base/expiry_threshold.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../base/limits.ts";
import { isMailAddress } from "../base/mail_address.ts";
import { webUrlFault } from "../base/web_url.ts";
import { type AllowedHosts, parseAllowedHosts } from "../http/mod.ts";
import { EXPECTED_MAIL_SERVER, type MailServer, parseMailServer } from "../mail/mod.ts";

/** An invalid value; `expected` completes the message "Expected …". */
export class InvalidValue extends Error {
  readonly expected: string;

  constructor(expected: string) {
    super(`Expected ${expected}.`);
    this.expected = expected;
  }
}

/** A setting, which is read from an environment variable. `T` is the type of its parsed value. */
export interface Setting<T> {
  readonly name: string;
  /** Meaning and unit, for the documentation. */
  readonly description: string;
  /** Parsed like a given value. If null, the value is undefined when the setting is absent. */
  readonly default: string | null;
  /** Parses a value. Throws {@link InvalidValue}. */
  readonly parse: (text: string) => T;
  /** Whether its value is never shown. */
  readonly secret: boolean;
}

/** Defines a setting with a default. */
export function setting<T>(
  name: string,
  options: { description: string; default: string; parse: (text: string) => T },
): Setting<T> {
  return { name, secret: false, ...options };
}

/** Defines a setting that may be absent. */
export function optional<T>(
  name: string,
  options: { description: string; parse: (text: string) => T; secret?: boolean },
): Setting<T | undefined> {
  return { name, secret: false, default: null, ...options };
}

// deno-lint-ignore no-control-regex -- it searches for control characters
const CONTROL = /[\x00-\x1f\x7f]/;

/**
 * Returns a parser of a whole number from `least` to `most`. `alternative` is what else the message says is
 * expected.
 */
export function integerSetting(least: number, most: number, alternative = ""): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidValue(`a whole number from ${least} to ${most}${alternative}`);
  };
}

/** Returns a parser of `auto` or a whole number from `least` to `most`. */
export function integerOrAuto(least: number, most: number): (text: string) => number | "auto" {
  const integer = integerSetting(least, most, " or auto");
  return (text) => text === "auto" ? text : integer(text);
}

/** Returns a parser of a whole number of seconds from `least` to `most`, in milliseconds. */
export function milliseconds(least: number, most: number): (text: string) => number {
  const seconds = integerSetting(least, most);
  return (text) => 1_000 * seconds(text);
}

/** Parses a time of day, as milliseconds since midnight, or `never` as null. */
export function timeOrNever(text: string): number | null {
  if (text === "never") return null;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) throw new InvalidValue("a time of day from 00:00 to 23:59, or never");
  return Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}

export function parseBoolean(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidValue("true or false");
}

/** Returns a parser of one of `words`. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new InvalidValue(`one of ${words.join(", ")}`);
    return found;
  };
}

/** Returns a parser of values separated by commas. An empty text is an empty list. */
export function commaList<T>(parse: (text: string) => T): (text: string) => readonly T[] {
  return (text) => text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(parse);
}

/** Parses an IP address or a network (`10.0.0.0/8`), and returns its canonical form. */
export function network(text: string): string {
  const result = readNetwork(text);
  if ("network" in result) return result.network;
  throw new InvalidValue(result.error.replace(/^Expected /, ""));
}

/** Parses host names, addresses and networks separated by commas. */
export function allowedHosts(text: string): AllowedHosts {
  try {
    return parseAllowedHosts(commaList((part) => part)(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidValue(error.message.replace(/^Expected /, ""));
  }
}

/** Parses an address to listen on: an IP address or a host name. */
export function hostName(text: string): string {
  const numeric = /^[\d.]+$/.test(text) || text.includes(":");
  const valid = numeric
    ? !text.includes("/") && "network" in readNetwork(text)
    : /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
  if (valid) return text;
  throw new InvalidValue("an IP address or a host name");
}

/** Parses an origin (scheme, host and port), and removes a trailing slash. */
export function webOrigin(text: string): string {
  const url = /[?#]/.test(text) || webUrlFault(text) !== undefined ? null : URL.parse(text);
  if (url !== null && url.href === `${url.origin}/`) return url.origin;
  throw new InvalidValue("scheme, host and port, such as https://certs.example.com");
}

export function filePath(text: string): string {
  if (!CONTROL.test(text)) return text;
  throw new InvalidValue("a path without control characters");
}

export function tokenKey(text: string): string {
  if (isKey(text)) return text;
  throw new InvalidValue(`${KEY_CHARS} letters and digits`);
}

export function password(text: string): string {
  if (passwordFault(text) === undefined) return text;
  throw new InvalidValue(`${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters`);
}

/** Parses a token for another service, which is sent in a header. */
export function headerToken(text: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw new InvalidValue("a token without spaces");
}

/** Parses thresholds of expiry notices separated by commas, or `none`. */
export function expiryThresholds(text: string): readonly string[] {
  if (text === "none") return [];
  const thresholds = commaList((part) => {
    if (parseThreshold(part) !== undefined) return part;
    throw new InvalidValue(`${EXPECTED_THRESHOLD}, separated by commas, or none`);
  })(text);
  const fault = listFault(thresholds);
  if (fault !== undefined) throw new InvalidValue(fault);
  return thresholds;
}

export function mailServer(text: string): MailServer {
  const server = parseMailServer(text);
  if (server === undefined) throw new InvalidValue(EXPECTED_MAIL_SERVER);
  return server;
}

export function mailAddress(text: string): string {
  if (isMailAddress(text)) return text;
  throw new InvalidValue("an e-mail address such as certmgr@example.com");
}
