/** Limits of endpoints and their probes. */

/** Minutes between two probes of an endpoint: a floor that spares the servers, and a year. */
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_INTERVAL_MINUTES = 525_600;

/** Certificates of one observation, and characters of each as PEM. */
export const MAX_PRESENTED = 30;
export const MAX_PRESENTED_CHARS = 65_536;

/** Networks, ports and connections per second of a scan job. */
export const MAX_SCAN_NETWORKS = 100;
export const MAX_SCAN_PORTS = 50;
export const MAX_SCAN_RATE = 1_000;
/** Connections of one scan: a /16 on one port. */
export const MAX_SCAN_ADDRESSES = 65_536;
