/** Limits of endpoints and their probes. */

/** Minutes between two probes of an endpoint: the minimum protects the servers, the maximum is a year. */
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 525_600;

/** Maximum number of certificates in an observation, and their maximum length as PEM. */
export const MAX_PRESENTED = 30;
export const MAX_PRESENTED_CHARS = 65_536;

/** Maximum numbers of networks, ports and connections per second of a scan job. */
export const MAX_SCAN_NETWORKS = 100;
export const MAX_SCAN_PORTS = 50;
export const MAX_SCAN_RATE = 1_000;
/** Maximum number of connections of a scan: a /16 network on one port. */
export const MAX_SCAN_ADDRESSES = 65_536;
