/** IP addresses and networks. Only this module imports `ipaddr.js`. */

import ipaddr from "ipaddr.js";
import { MAX_ADDRESS_CHARS } from "./limits.ts";
import { memoize } from "./memoize.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network: its first address and its prefix length. */
type Network = readonly [Address, number];

/** Number of bits before the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
const MAPPED_BITS = 96;
/**
 * Prefix length of an IPv6 subnet. A client usually controls all addresses of its subnet (RFC 4291 §2.5.4).
 */
const SUBNET_BITS = 64;

/**
 * Parses an address or a network (`10.0.0.0/8`) and returns its canonical form. IPv4-mapped IPv6 becomes
 * IPv4. Refuses a network that does not begin with its first address, because `10.0.0.1/8` may be meant as
 * one host.
 */
export function readNetwork(text: string): { network: string } | { error: string } {
  const network = parseNetwork(text);
  if (network === undefined) {
    return { error: "Expected an IP address or a network such as 192.0.2.10, 192.0.2.0/24 or 2001:db8::/32" };
  }
  const [address, bits] = network;
  const first = firstOf(network);
  if (first !== spell(address)) {
    return { error: `Expected the first address of the network, ${first}/${bits}` };
  }
  return { network: text.includes("/") ? `${first}/${bits}` : first };
}

/**
 * Parses a list, which is cached as long as the settings or the actor to which it belongs. An invalid entry
 * matches no address.
 */
const parseNetworks = memoize((networks: readonly string[]): readonly Network[] =>
  networks.map(parseNetwork).filter((network) => network !== undefined)
);

/** Returns whether an address is in one of the networks; false for an unknown or malformed address. */
export function inNetworks(address: string | null, networks: readonly string[]): boolean {
  const given = address === null ? undefined : parseAddress(address);
  if (given === undefined) return false;
  return parseNetworks(networks).some((network) =>
    given.kind() === network[0].kind() && given.match(...network)
  );
}

/**
 * Returns whether a network or an address is completely contained in one of `networks`; false if it is
 * malformed.
 */
export function isWithin(network: string, networks: readonly string[]): boolean {
  const given = parseNetwork(network);
  if (given === undefined) return false;
  const [address, bits] = given;
  return networks.map(parseNetwork).some((outer) =>
    outer !== undefined && outer[0].kind() === address.kind() && outer[1] <= bits &&
    address.match(...outer)
  );
}

/** Returns the key by which limits count an address: the subnet for IPv6, otherwise the address itself. */
export function addressGroup(address: string): string {
  const given = parseAddress(address);
  if (given === undefined) return address;
  return given.kind() === "ipv4" ? spell(given) : `${firstOf([given, SUBNET_BITS])}/${SUBNET_BITS}`;
}

/** Returns the number of addresses in a network; 0 if it is malformed. */
export function networkSize(network: string): number {
  const given = parseNetwork(network);
  if (given === undefined) return 0;
  const [address, bits] = given;
  return 2 ** ((address.kind() === "ipv4" ? 32 : 128) - bits);
}

/** Yields the addresses of a network in ascending order. Callers must check {@link networkSize} first. */
export function* addressesOf(network: string): Generator<string> {
  const given = parseNetwork(network);
  if (given === undefined) return;
  const bytes = ipaddr.parse(firstOf(given)).toByteArray();
  for (let left = networkSize(network); left > 0; left--) {
    yield spell(ipaddr.fromByteArray(bytes));
    for (let at = bytes.length - 1; at >= 0; at--) {
      bytes[at] = ((bytes[at] ?? 0) + 1) & 0xff;
      if (bytes[at] !== 0) break;
    }
  }
}

/**
 * Parses only canonical notations: no octal, hexadecimal or shortened IPv4. Removes the zone of a link-local
 * address.
 */
function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_ADDRESS_CHARS) return undefined;
  const plain = text.replace(/%[^/]*$/, "");
  if (!ipaddr.IPv4.isValidFourPartDecimal(plain) && !(plain.includes(":") && ipaddr.IPv6.isValid(plain))) {
    return undefined;
  }
  return ipaddr.process(plain);
}

function parseNetwork(text: string): Network | undefined {
  if (text.length > MAX_ADDRESS_CHARS) return undefined;
  const [host = "", length, ...rest] = text.split("/");
  const address = host.includes("%") ? undefined : parseAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  const maxBits = address.kind() === "ipv4" ? 32 : 128;
  if (length === undefined) return [address, maxBits];
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const mapped = maxBits === 32 && host.includes(":");
  const bits = Number(length) - (mapped ? MAPPED_BITS : 0);
  return bits >= 0 && bits <= maxBits ? [address, bits] : undefined;
}

function firstOf([address, bits]: Network): string {
  const cidr = `${spell(address)}/${bits}`;
  return spell(
    address.kind() === "ipv4"
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr),
  );
}

function spell(address: Address): string {
  return address.kind() === "ipv4" ? address.toString() : (address as ipaddr.IPv6).toRFC5952String();
}
