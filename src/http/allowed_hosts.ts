/** The operator's allow list: hosts to which the service may send requests although they are not public. */

import { inNetworks, readNetwork } from "../base/addresses.ts";
import { quoteJson } from "../base/quote.ts";

/** Names in lower case, networks in canonical form. */
export interface AllowedHosts {
  readonly names: readonly string[];
  readonly networks: readonly string[];
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
export function allowsName({ names }: AllowedHosts, host: string): boolean {
  return names.includes(plainName(host));
}

/** Returns whether an address is in one of the allowed networks. */
export function allowsAddress({ networks }: AllowedHosts, address: string): boolean {
  return inNetworks(address, networks);
}

/** Returns a host name in lower case, without the trailing dot of a fully qualified name. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
