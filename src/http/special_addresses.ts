/** Addresses that no stranger may make the service talk to (IANA's special-purpose registries, RFC 6890). */

import { inNetworks } from "../base/addresses.ts";

/** What an address is, where it is no public one; in the order in which it is looked for. */
const SPECIAL: readonly (readonly [kind: string, networks: readonly string[]])[] = [
  ["an unspecified address", ["0.0.0.0/8", "::/128"]],
  ["a loopback address", ["127.0.0.0/8", "::1/128"]],
  ["a private address", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"]],
  ["a link-local address", ["169.254.0.0/16", "fe80::/10"]],
  ["a carrier's internal address", ["100.64.0.0/10"]],
  // The platform's own endpoint of one large cloud; those of others are link-local, private or the carrier's.
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
  // What carries an IPv4 address may lead to any: NAT64 (RFC 6052, 8215), SIIT, 6to4, Teredo, IPv4-compatible.
  [
    "an address that stands for an IPv4 address",
    ["64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "2002::/16", "2001::/32", "::/96"],
  ],
  ["a reserved address", ["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"]],
];

/** The only addresses of IPv6 that are given out for public use (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ["2000::/3"];
const ALL_IPV4 = ["0.0.0.0/0"];

/** What an address is, when it is no public one: "a private address"; undefined for a public one. */
export function specialKind(address: string): string | undefined {
  const found = SPECIAL.find(([, networks]) => inNetworks(address, networks));
  if (found !== undefined) return found[0];
  if (inNetworks(address, ALL_IPV4)) {
    return address.includes(":") ? "an address that stands for an IPv4 address" : undefined;
  }
  return inNetworks(address, GLOBAL_UNICAST) ? undefined : "a reserved address";
}
