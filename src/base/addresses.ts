/** IP addresses and networks: what a token allows, which proxies are trusted, where requests may go. The only door to `ipaddr.js`. */

import ipaddr from "ipaddr.js";
import { MAX_ADDRESS_CHARS } from "./limits.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network: its first address, and how many leading bits count. */
type Network = readonly [Address, number];

/** Bits before the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
const MAPPED_BITS = 96;
/** Bits of an IPv6 address that name a subnet; whoever has one address of it has them all (RFC 4291 §2.5.4). */
const SUBNET_BITS = 64;

/**
 * The usual spelling of an address or a network (`10.0.0.0/8`); IPv4-mapped IPv6 becomes IPv4. A network must begin
 * at its first address: whoever writes `10.0.0.1/8` may have meant one host.
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

/** Parsed lists; lists live as long as the settings or the actor that they belong to. */
const parsed = new WeakMap<readonly string[], readonly Network[]>();

/** Whether an address lies in one of the networks; an unknown or malformed address lies in none. */
export function inNetworks(address: string | null, networks: readonly string[]): boolean {
  const given = address === null ? undefined : parseAddress(address);
  if (given === undefined) return false;
  let known = parsed.get(networks);
  if (known === undefined) {
    // What cannot be read lets nobody in.
    known = networks.map(parseNetwork).filter((network) => network !== undefined);
    parsed.set(networks, known);
  }
  return known.some((network) =>
    given.kind() === network[0].kind() && given.match(network as [Address, number])
  );
}

/** Whether a network, or an address, lies wholly in one of `networks`; a malformed one lies in none. */
export function isWithin(network: string, networks: readonly string[]): boolean {
  const given = parseNetwork(network);
  if (given === undefined) return false;
  const [address, bits] = given;
  return networks.map(parseNetwork).some((outer) =>
    outer !== undefined && outer[0].kind() === address.kind() && outer[1] <= bits &&
    address.match(outer as [Address, number])
  );
}

/** By what an address is counted: itself, or its subnet when it is IPv6. A malformed one stands for itself. */
export function addressGroup(address: string): string {
  const given = parseAddress(address);
  if (given === undefined) return address;
  return given.kind() === "ipv4" ? spell(given) : `${firstOf([given, SUBNET_BITS])}/${SUBNET_BITS}`;
}

/** Reads the plain forms only: no octal, hexadecimal or shortened IPv4; the zone of a link-local address is dropped. */
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
  const whole = address.kind() === "ipv4" ? 32 : 128;
  if (length === undefined) return [address, whole];
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const mapped = whole === 32 && host.includes(":");
  const bits = Number(length) - (mapped ? MAPPED_BITS : 0);
  return bits >= 0 && bits <= whole ? [address, bits] : undefined;
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
