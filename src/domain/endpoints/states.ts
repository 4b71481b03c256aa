/** The states of endpoints, and the limits of their probes. */

import { fitTogether } from "../../base/bounded_list.ts";

/** Minutes between two probes of an endpoint: the minimum protects the servers, the maximum is a year. */
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 525_600;

/**
 * Maximum number of certificates in an observation, and their maximum length as PEM, of each and together: no less than
 * a probe reads from a server, which is 256 KiB.
 */
export const MAX_PRESENTED = 30;
export const MAX_PRESENTED_CHARS = 65_536;
export const MAX_PRESENTED_TOGETHER = 360_000;

/** Returns which limit certificates as PEM exceed, to be read after "presents" or "has"; undefined for none. */
export function presentedExcess(presented: readonly string[]): string | undefined {
  if (presented.some((pem) => pem.length > MAX_PRESENTED_CHARS)) {
    return `a certificate of more than ${MAX_PRESENTED_CHARS} characters in PEM`;
  }
  return fitTogether(presented, MAX_PRESENTED_TOGETHER)
    ? undefined
    : `certificates of more than ${MAX_PRESENTED_TOGETHER} characters together in PEM`;
}

/** Maximum numbers of networks, ports and connections per second of a scan job. */
export const MAX_SCAN_NETWORKS = 100;
export const MAX_SCAN_PORTS = 50;
export const MAX_SCAN_RATE = 1_000;
/** Maximum number of connections of a scan: a /16 network on one port. */
export const MAX_SCAN_ADDRESSES = 65_536;

/** What a probe can find, worst first. An endpoint's `state` is the first that applies. */
export const FOUND_STATES = [
  "unreachable",
  "tls_error",
  "revoked",
  "expired",
  "not_yet_valid",
  "name_mismatch",
  "untrusted",
  "incomplete_chain",
  "wrong_certificate",
  "superseded",
  "expiring",
  "ok",
] as const;
export type FoundState = typeof FOUND_STATES[number];

/** Whether a server has proven that it has the key of the certificate that it presents. */
export const POSSESSIONS = ["proven", "unproven"] as const;
export type Possession = typeof POSSESSIONS[number];

/** States of an endpoint; `pending` means not probed yet. */
export const ENDPOINT_STATES = ["pending", ...FOUND_STATES] as const;
export type EndpointState = typeof ENDPOINT_STATES[number];

/** States in which the last probe may have read no certificate: the one that is stored may be from an earlier probe. */
export const WITHOUT_CERTIFICATE: ReadonlySet<unknown> = new Set<FoundState>(["unreachable", "tls_error"]);

/** States in which what follows from a served certificate is done: it is assigned, and counts as deployed. */
export const RIGHT_STATES: ReadonlySet<unknown> = new Set<FoundState>(["ok", "expiring"]);

/** States that clients notice, which pages show in red. */
export const NOTICED_STATES = [
  "unreachable",
  "tls_error",
  "revoked",
  "expired",
  "name_mismatch",
  "untrusted",
  "wrong_certificate",
] as const satisfies readonly FoundState[];

/** Returns the rank of a state in lists with the worst first; `pending` comes last. */
export function severityOf(state: EndpointState): number {
  return state === "pending" ? FOUND_STATES.length : FOUND_STATES.indexOf(state);
}

/** What a state follows from, where it can have several causes with different consequences. */
export type StateReason = "self_signed" | "unknown_root" | "unknown_issuer" | "silent_agent" | "not_allowed";
