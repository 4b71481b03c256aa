/** Reads subject alternative names as users type them, and as {@link sanText} writes them. */

import { readNetwork } from "../base/addresses.ts";
import { quoteJson } from "../base/quote.ts";
import { isHostPattern, mailboxOf } from "./chain/names/syntax.ts";

/** A name that a certification request can contain. */
export interface RequestedName {
  readonly kind: "dns" | "ip" | "email" | "uri";
  /** The name without its prefix. */
  readonly value: string;
}

/** Maximum length of a label of a host name (RFC 1035 §2.3.4). */
const MAX_LABEL_CHARS = 63;
/** An absolute URI of visible ASCII characters (RFC 5280 §4.2.1.6). */
const URI = /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i;
const ASCII = /^[\x21-\x7e]+$/;

const READERS: Readonly<Record<string, (value: string) => RequestedName | string>> = {
  dns: readDnsName,
  ip: readAddress,
  email: readMailbox,
  uri: readUri,
};

/**
 * Reads `www.example.com`, `DNS:…`, `IP:…`, `email:…` or `URI:…`; the prefix is not case-sensitive. Returns
 * an error message if the text is none of them.
 */
export function readRequestedName(text: string): RequestedName | string {
  const [, prefix, rest = ""] = /^([a-z]+):(.*)$/is.exec(text) ?? [];
  if (prefix === undefined) return readDnsName(text);
  const reader = READERS[prefix.toLowerCase()];
  if (reader === undefined || !Object.hasOwn(READERS, prefix.toLowerCase())) {
    return `Invalid name ${quoteJson(text)}. Use a DNS name, or the prefix IP:, email: or URI:.`;
  }
  return reader(rest);
}

function readDnsName(value: string): RequestedName | string {
  if (isDnsName(value)) return { kind: "dns", value };
  const address = readAddress(value);
  if (typeof address !== "string") {
    return `Invalid DNS name ${quoteJson(value)}. Write an address as "IP:${value}".`;
  }
  if (value.includes("@") && typeof readMailbox(value) !== "string") {
    return `Invalid DNS name ${quoteJson(value)}. Write an e-mail address as "email:${value}".`;
  }
  const ascii = asciiHost(value);
  const advice = ascii === undefined
    ? 'Use letters, digits and hyphens between dots, such as "www.example.com" or "*.example.com".'
    : `Use its ASCII form "${ascii}".`;
  return `Invalid DNS name ${quoteJson(value)}. ${advice}`;
}

/** Returns whether a certificate can be requested for this host name. The first label may be `*`. */
function isDnsName(value: string): boolean {
  const labels = value.replace(/^\*\./, "").split(".");
  return isHostPattern(value.toLowerCase()) &&
    labels.every((label) => label.length <= MAX_LABEL_CHARS && !/^-|-$|\*/.test(label)) &&
    // A last label of digits would look like (a part of) an address (RFC 1123 §2.1).
    !/^\d+$/.test(labels.at(-1) ?? "");
}

/** Returns an internationalized host name as A-labels; undefined for any other text. */
function asciiHost(value: string): string | undefined {
  if (ASCII.test(value) || !URL.canParse(`http://${value}/`)) return undefined;
  const { hostname, pathname } = new URL(`http://${value}/`);
  return pathname === "/" && isDnsName(hostname) ? hostname : undefined;
}

function readAddress(value: string): RequestedName | string {
  const reading = value.includes("/") ? undefined : readNetwork(value);
  if (reading === undefined || "error" in reading) {
    return `Invalid IP address ${quoteJson(value)}. Use one such as 192.0.2.10 or 2001:db8::10.`;
  }
  return { kind: "ip", value: reading.network };
}

function readMailbox(value: string): RequestedName | string {
  if (ASCII.test(value) && mailboxOf(value) !== undefined) return { kind: "email", value };
  return `Invalid e-mail address ${quoteJson(value)}. Use one such as admin@example.com.`;
}

function readUri(value: string): RequestedName | string {
  if (URI.test(value) && URL.canParse(value)) return { kind: "uri", value };
  return `Invalid URI ${quoteJson(value)}. Use an absolute one such as spiffe://example.com/web.`;
}
