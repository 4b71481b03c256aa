/**
 * Addresses to which probes may connect: public ones and those of allowed networks, but never metadata
 * services.
 */

import { inNetworks } from "../base/addresses.ts";
import { specialKind } from "./special_addresses.ts";

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
