/** The exceptions that an operator makes: hosts that the service may send to though they are not public. */

import { inNetworks, readNetwork } from "../base/addresses.ts";

/** Names in lower case, and networks in their usual spelling. */
export interface AllowedHosts {
  readonly names: readonly string[];
  readonly networks: readonly string[];
}

/** No exceptions: public hosts only. */
export const PUBLIC_ONLY: AllowedHosts = { names: [], networks: [] };

const NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/** Reads names, addresses and networks (`10.0.0.0/8`). Throws a RangeError that says what is wanted instead. */
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
        read?.error ?? `Expected a host name, an address or a network, not ${JSON.stringify(text)}`,
      );
    }
  }
  return { names, networks };
}

/** Whether a host name (or address) is one of the exceptions by its name. */
export function allowsName({ names }: AllowedHosts, host: string): boolean {
  return names.includes(plainName(host));
}

/** Whether an address lies in one of the excepted networks. */
export function allowsAddress({ networks }: AllowedHosts, address: string): boolean {
  return inNetworks(address, networks);
}

/** Lower case, without the dot of the root. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
