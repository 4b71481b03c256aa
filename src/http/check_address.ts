/** Where requests may go: judged when a URL is saved, and again with the addresses found for each attempt. */

import { readNetwork } from "../base/addresses.ts";
import { webUrlFault } from "../base/web_url.ts";
import { type AllowedHosts, allowsAddress, allowsName, plainName } from "./allowed_hosts.ts";
import { specialKind } from "./special_addresses.ts";

/** Names that mean this machine wherever they are asked for (RFC 6761 §6.3, and what systems put beside it). */
const OWN_NAME = /(^|\.)localhost(\.localdomain)?$|^localhost[46]?(\.localdomain[46]?)?$|^ip6-/;
/** Names under which clouds answer with credentials. */
const METADATA_NAME =
  /^metadata(\.google\.internal|\.goog|\.azure\.internal)?$|^instance-data(\.ec2\.internal)?$/;

/** Longest URL that is sent to, in characters. */
const MAX_URL_CHARS = 2_000;

/** The reason for which a URL may not be sent to; undefined for one that may, as far as it can be known unresolved. */
export function checkTarget(text: string, allowed: AllowedHosts): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_CHARS) return "Enter a valid URL.";
  const fault = webUrlFault(text);
  if (fault !== undefined) return fault;
  if (url.username !== "" || url.password !== "") return "The URL must not contain a user name or password.";
  const host = hostOf(url);
  if (allowsName(allowed, host)) return undefined;
  if (isAddress(host)) return checkAddress(host, allowed);
  const name = plainName(host);
  if (OWN_NAME.test(name)) {
    // Whoever allows the address of this machine means its name, too.
    const meant = ["127.0.0.1", "::1"].some((address) => allowsAddress(allowed, address));
    return meant ? undefined : refused(`${name} is this machine`);
  }
  return METADATA_NAME.test(name) ? refused(`${name} is a cloud's metadata service`) : undefined;
}

/** The reason for which one of a host's addresses may not be connected to; undefined when all may be. */
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

function refused(what: string): string {
  return `${what}; only public hosts are allowed, and those that CERTMGR_WEBHOOK_ALLOWED_HOSTS names.`;
}

/** The host of a URL: a name, or an address without brackets; the URL parser has made decimals of all IPv4 forms. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Whether a host is an address literal. */
export function isAddress(host: string): boolean {
  return "network" in readNetwork(host);
}
