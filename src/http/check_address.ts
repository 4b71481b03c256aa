/**
 * Checks where requests may be sent: when a URL is saved, and with the resolved addresses again at each
 * attempt.
 */

import { inNetworks, readNetwork } from "../base/addresses.ts";
import { type Finding, finding } from "../base/findings.ts";
import { quoteJson } from "../base/quote.ts";
import { INVALID_URL, webUrlFault } from "../base/web_url.ts";
import { specialKind } from "./special_addresses.ts";

/** Names in lower case, networks in canonical form. */
export interface AllowedHosts {
  readonly names: readonly string[];
  readonly networks: readonly string[];
  /** The setting that has the list, if it is not the one of webhooks. */
  readonly setting?: string;
}

/** An empty allow list: only public hosts. */
export const PUBLIC_ONLY: AllowedHosts = { names: [], networks: [] };

const NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Parses names, addresses and networks (`10.0.0.0/8`). Throws a RangeError that quotes the invalid entry. */
export function parseAllowedHosts(texts: readonly string[]): AllowedHosts {
  const names: string[] = [];
  const networks: string[] = [];
  for (const text of texts) {
    const numeric = /^[\d./]+$/.test(text) || /[:/]/.test(text);
    const read = numeric ? readNetwork(text) : undefined;
    const name = plainName(text);
    if (read !== undefined && "network" in read) networks.push(read.network);
    else if (read === undefined && NAME.test(name) && name.length <= 253) names.push(name);
    else {
      throw new RangeError(
        read?.error ?? `Expected a host name, an address or a network, not ${quoteJson(text)}`,
      );
    }
  }
  return { names, networks };
}

/** Returns whether the allow list contains a host name. */
function allowsName({ names }: AllowedHosts, host: string): boolean {
  return names.includes(plainName(host));
}

/** Returns whether an address is in one of the allowed networks. */
function allowsAddress({ networks }: AllowedHosts, address: string): boolean {
  return inNetworks(address, networks);
}

/** Returns a host name in lower case, without the trailing dot of a fully qualified name. */
function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

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
export function checkTarget(text: string, allowed: AllowedHosts): Finding | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_CHARS) return INVALID_URL;
  const fault = webUrlFault(text);
  if (fault !== undefined) return fault;
  if (url.username !== "" || url.password !== "") return finding("url_credentials");
  if (url.port === "0") return finding("url_port_zero");
  const host = hostOf(url);
  if (allowsName(allowed, host)) return undefined;
  if (isAddress(host)) return checkAddress(host, allowed);
  const name = plainName(host);
  const long = nameFault(name);
  if (long !== undefined) return long;
  if (OWN_NAME.test(name)) {
    // If a loopback address is allowed, its names are allowed as well.
    const isAllowed = ["127.0.0.1", "::1"].some((address) => allowsAddress(allowed, address));
    return isAllowed ? undefined : refused(name, "this machine", allowed);
  }
  return METADATA_NAME.test(name) ? refused(name, "a cloud's metadata service", allowed) : undefined;
}

/** Returns why no resolver can find a name, which is encoded as ASCII; undefined for a usable length. */
function nameFault(name: string): Finding | undefined {
  const label = name.split(".").find(({ length }) => length > MAX_LABEL_CHARS);
  if (label !== undefined) {
    const part = label.slice(0, 20);
    return finding("host_part_too_long", { part, count: label.length, max: MAX_LABEL_CHARS });
  }
  return name.length <= MAX_NAME_CHARS
    ? undefined
    : finding("host_too_long", { count: name.length, max: MAX_NAME_CHARS });
}

/** Returns why no connection to a host's addresses is allowed; undefined if all of them are allowed. */
export function checkAddresses(
  { host, addresses }: { host: string; addresses: readonly string[] },
  allowed: AllowedHosts,
): Finding | undefined {
  if (allowsName(allowed, host)) return undefined;
  return addresses.map((address) => checkAddress(address, allowed)).find((reason) => reason !== undefined);
}

function checkAddress(address: string, allowed: AllowedHosts): Finding | undefined {
  if (allowsAddress(allowed, address)) return undefined;
  const kind = specialKind(address);
  return kind === undefined ? undefined : refused(address, kind, allowed);
}

function refused(
  host: string,
  kind: string,
  { setting = "CERTMGR_WEBHOOK_ALLOWED_HOSTS" }: AllowedHosts,
): Finding {
  return finding("host_refused", { host, kind, setting });
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
