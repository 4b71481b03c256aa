/** The addresses of a scan. */

import { addressesOf, networkSize } from "../../base/addresses.ts";

/** An address and a port to try. */
export interface ScanTarget {
  readonly address: string;
  readonly port: number;
}

/** Returns how many connections a scan makes. */
export function countTargets(networks: readonly string[], ports: number): number {
  return ports * networks.reduce((sum, network) => sum + networkSize(network), 0);
}

/** Yields all addresses of the networks, each with every port. */
export function* scanTargets(networks: readonly string[], ports: readonly number[]): Generator<ScanTarget> {
  for (const network of networks) {
    for (const address of addressesOf(network)) {
      for (const port of ports) yield { address, port };
    }
  }
}
