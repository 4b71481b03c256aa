/** Searches networks for servers that speak TLS. */

import { pacedBy } from "../../../base/pace.ts";
import type { Probe, ProbeAnswer } from "../../../probe/mod.ts";
import { type ScanTarget, scanTargets } from "../scan_targets.ts";

/** Time limits of a scan, because most addresses do not respond. */
const CONNECT_MS = 2_000;
const TOTAL_MS = 5_000;

/** What to scan, and how fast. */
export interface ScanPlan {
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** Maximum number of connections per second. */
  readonly rate: number;
  /** Maximum number of concurrent connections. */
  readonly concurrency: number;
  /** Networks that may be scanned. */
  readonly allowedNetworks: readonly string[];
}

/** A server that speaks TLS. */
export interface ScanHit {
  readonly target: ScanTarget;
  readonly answer: ProbeAnswer;
}

/**
 * Connects once to every address and port, and calls `onHit` for those that present certificates. Starts no
 * new connections after the signal. Returns the number of connections.
 */
export async function scan(
  plan: ScanPlan,
  { probe, onHit, signal }: {
    probe: Probe;
    onHit: (hit: ScanHit) => Promise<void>;
    signal?: AbortSignal | undefined;
  },
): Promise<number> {
  const targets = scanTargets(plan.networks, plan.ports);
  const pace = pacedBy(plan.rate);
  let tried = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const { value, done } = targets.next();
      if (done === true) return;
      await pace(signal);
      if (signal?.aborted === true) return;
      tried++;
      const [answer] = await probe(
        { host: value.address, port: value.port, serverName: value.address, protocol: "tls" },
        { allowedNetworks: plan.allowedNetworks, retry: false, connectMs: CONNECT_MS, totalMs: TOTAL_MS },
      );
      if (answer?.presented !== undefined) await onHit({ target: value, answer });
    }
  };
  await Promise.all(Array.from({ length: plan.concurrency }, worker));
  return tried;
}
