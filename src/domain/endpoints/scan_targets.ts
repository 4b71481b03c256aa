/** The addresses of a scan. */

import { type Finding, finding } from "../../base/findings.ts";
import { addressesOf, isWithin, networkSize } from "../../base/addresses.ts";

export interface ScanTarget {
  readonly address: string;
  readonly port: number;
}

/** Returns the number of connections of a scan. */
export function countTargets(networks: readonly string[], ports: number): number {
  return ports * disjoint(networks).reduce((sum, network) => sum + networkSize(network), 0);
}

/** Yields every address of the networks once with each port. */
export function* scanTargets(networks: readonly string[], ports: readonly number[]): Generator<ScanTarget> {
  for (const network of disjoint(networks)) {
    for (const address of addressesOf(network)) {
      for (const port of ports) yield { address, port };
    }
  }
}

/** Leaves out networks that are part of another one. Networks cannot overlap in any other way. */
function disjoint(networks: readonly string[]): string[] {
  const kept: string[] = [];
  for (const network of networks.toSorted((a, b) => networkSize(b) - networkSize(a))) {
    if (!isWithin(network, kept)) kept.push(network);
  }
  return kept;
}

/**
 * Returns why networks may not be scanned: a message for each that is not completely in an allowed network.
 */
export function refusedNetworks(networks: readonly string[], allowed: readonly string[]): Finding[] {
  return networks.filter((network) => !isWithin(network, allowed))
    .map((network) => finding("network_not_allowed", { network }));
}
