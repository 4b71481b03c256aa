/**
 * Addresses that are not public and therefore blocked (IANA's special-purpose address registries, RFC 6890); probes may
 * also connect to those of allowed networks, but never to metadata services.
 */

import { inNetworks } from "../base/addresses.ts";

/**
 * Addresses at which clouds return credentials to machines. They are refused even if the operator allows
 * their network.
 */
const METADATA = [
  "169.254.0.0/16",
  "fd00:ec2::/32",
  "fe80::/10",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd20:ce::254/128",
];

/** Returns why an address may not be probed; undefined if it may. */
export function refuseProbe(address: string, allowedNetworks: readonly string[]): string | undefined {
  if (inNetworks(address, METADATA)) {
    return `${address} may be a cloud's metadata service, which is never probed.`;
  }
  if (inNetworks(address, allowedNetworks)) return undefined;
  const kind = specialKind(address);
  return kind === undefined
    ? undefined
    : `${address} is ${kind}. Add its network to CERTMGR_PROBE_ALLOWED_NETWORKS to probe it.`;
}

/** Networks by kind; the first match is used. */
const SPECIAL: readonly (readonly [kind: string, networks: readonly string[]])[] = [
  ["an unspecified address", ["0.0.0.0/8", "::/128"]],
  ["a loopback address", ["127.0.0.0/8", "::1/128"]],
  ["a private address", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"]],
  ["a link-local address", ["169.254.0.0/16", "fe80::/10"]],
  ["a carrier's internal address", ["100.64.0.0/10"]],
  // Azure's platform endpoint. Those of other clouds are link-local, private or carrier-grade NAT addresses.
  ["a cloud's metadata address", ["168.63.129.16/32"]],
  ["a multicast address", ["224.0.0.0/4", "ff00::/8"]],
  [
    "a reserved address",
    [
      "192.0.0.0/24",
      "192.0.2.0/24",
      "192.31.196.0/24",
      "192.52.193.0/24",
      "192.88.99.0/24",
      "192.175.48.0/24",
      "198.18.0.0/15",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "240.0.0.0/4",
    ],
  ],
  // An address that embeds an IPv4 address could reach any of them: NAT64 (RFC 6052, 8215), SIIT, 6to4,
  // Teredo, IPv4-compatible.
  [
    "an address that embeds an IPv4 address",
    ["64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "2002::/16", "2001::/32", "::/96"],
  ],
  ["a reserved address", ["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"]],
];

/** The IPv6 addresses that are assigned for public use (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ["2000::/3"];
const ALL_IPV4 = ["0.0.0.0/0"];

/** Returns the kind of an address that is not public ("a private address"); undefined for a public one. */
export function specialKind(address: string): string | undefined {
  const found = SPECIAL.find(([, networks]) => inNetworks(address, networks));
  if (found !== undefined) return found[0];
  if (inNetworks(address, ALL_IPV4)) {
    return address.includes(":") ? "an address that embeds an IPv4 address" : undefined;
  }
  return inNetworks(address, GLOBAL_UNICAST) ? undefined : "a reserved address";
}
