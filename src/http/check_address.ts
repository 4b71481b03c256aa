/**
 * Checks where requests may be sent: when a URL is saved, and with the resolved addresses again at each
 * attempt.
 */

import { readNetwork } from "../base/addresses.ts";
import { INVALID_URL, webUrlFault } from "../base/web_url.ts";
import { type AllowedHosts, allowsAddress, allowsName, plainName } from "./allowed_hosts.ts";
import { specialKind } from "./special_addresses.ts";

/** Names that resolve to this machine (RFC 6761 §6.3), and aliases that systems add in `/etc/hosts`. */
const OWN_NAME = /(^|\.)localhost(\.localdomain)?$|^localhost[46]?(\.localdomain[46]?)?$|^ip6-/;
/** Names of cloud metadata services, which return credentials. */
const METADATA_NAME =
  /^metadata(\.google\.internal|\.goog|\.azure\.internal)?$|^instance-data(\.ec2\.internal)?$/;

/** Maximum length of a URL, in characters. */
const MAX_URL_CHARS = 2_000;

/** Maximum length of a part of a host name between dots (RFC 1035 §2.3.4). */
const MAX_LABEL_CHARS = 63;
/** Maximum length of a host name without the dot at its end (RFC 1035 §3.1: 255 octets with the lengths of its parts). */
const MAX_NAME_CHARS = 253;

/**
 * Returns why no request may be sent to a URL; undefined if it may. Checks everything that is known without
 * DNS. {@link checkAddresses} checks the resolved addresses.
 */
export function checkTarget(text: string, allowed: AllowedHosts): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_CHARS) return INVALID_URL;
  const fault = webUrlFault(text);
  if (fault !== undefined) return fault;
  if (url.username !== "" || url.password !== "") return "The URL must not contain a user name or password.";
  if (url.port === "0") return "Nothing can be sent to port 0. Use a port from 1 to 65535.";
  const host = hostOf(url);
  if (allowsName(allowed, host)) return undefined;
  if (isAddress(host)) return checkAddress(host, allowed);
  const name = plainName(host);
  const long = nameFault(name);
  if (long !== undefined) return long;
  if (OWN_NAME.test(name)) {
    // If a loopback address is allowed, its names are allowed as well.
    const isAllowed = ["127.0.0.1", "::1"].some((address) => allowsAddress(allowed, address));
    return isAllowed ? undefined : refused(`${name} is this machine`);
  }
  return METADATA_NAME.test(name) ? refused(`${name} is a cloud's metadata service`) : undefined;
}

/** Returns why no resolver can find a name, which is encoded as ASCII; undefined for a usable length. */
function nameFault(name: string): string | undefined {
  const label = name.split(".").find(({ length }) => length > MAX_LABEL_CHARS);
  if (label !== undefined) {
    return `The part "${label.slice(0, 20)}…" of the host has ${label.length} characters. ` +
      `Expected at most ${MAX_LABEL_CHARS}.`;
  }
  return name.length <= MAX_NAME_CHARS
    ? undefined
    : `The host has ${name.length} characters. Expected at most ${MAX_NAME_CHARS}.`;
}

/** Returns why no connection to a host's addresses is allowed; undefined if all of them are allowed. */
export function checkAddresses(
  { host, addresses }: { host: string; addresses: readonly string[] },
  allowed: AllowedHosts,
): string | undefined {
  if (allowsName(allowed, host)) return undefined;
  return addresses.map((address) => checkAddress(address, allowed)).find((reason) => reason !== undefined);
}

function checkAddress(address: string, allowed: AllowedHosts): string | undefined {
  if (allowsAddress(allowed, address)) return undefined;
  const kind = specialKind(address);
  return kind === undefined ? undefined : refused(`${address} is ${kind}`);
}

function refused(reason: string): string {
  return `${reason}. Use a public host, or one that CERTMGR_WEBHOOK_ALLOWED_HOSTS lists.`;
}

/**
 * Returns the host of a URL: a name, or an address without brackets. The URL parser normalizes all IPv4
 * notations.
 */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Returns whether a host is an address literal. */
export function isAddress(host: string): boolean {
  return "network" in readNetwork(host);
}
