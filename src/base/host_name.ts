/** Hosts to which the service connects: a name in lower case, or an address in canonical form. */

import { readNetwork } from "./addresses.ts";

/**
 * Labels of letters, digits, hyphens and underscores, none empty (RFC 1035 §2.3.1; underscores occur in
 * practice).
 */
const NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*$/;
const MAX_NAME_CHARS = 253;

/**
 * Returns the canonical form of a host: an IP address, or a name in lower case and in its ASCII form without
 * the trailing dot; undefined for anything else, such as a URL, a port or a wildcard.
 */
export function readHost(text: string): string | undefined {
  const plain = text.trim().replace(/^\[(.*)\]$/, "$1");
  const address = plain.includes("/") ? undefined : readNetwork(plain);
  if (address !== undefined && "network" in address) return address.network;
  // Text that looks like an address but is not one must not become a name that resolves to something else.
  if (/^[\d.]+$/.test(plain) || plain.includes(":")) return undefined;
  return readHostName(plain);
}

/** Returns the canonical form of a host name; undefined for addresses and anything else. */
export function readHostName(text: string): string | undefined {
  const plain = text.trim().replace(/\.$/, "");
  const ascii = /^[\x21-\x7e]+$/.test(plain) ? plain.toLowerCase() : asciiForm(plain);
  if (ascii === undefined || ascii.length > MAX_NAME_CHARS || /^[\d.]+$/.test(ascii)) return undefined;
  return NAME.test(ascii) ? ascii : undefined;
}

/** Returns the ASCII form of an internationalized name (RFC 5891). */
function asciiForm(name: string): string | undefined {
  if (name === "" || /[\s/?#@:\\%]/.test(name)) return undefined;
  return URL.parse(`http://${name}/`)?.hostname;
}
