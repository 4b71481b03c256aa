/** Metrics for Prometheus. */

export { createRequestMetrics, type RequestMetrics } from "./requests.ts";
export { createMetrics, reportMetrics } from "./handler.ts";
