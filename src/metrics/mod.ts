/** Metrics for Prometheus. */

export { createRequestMetrics, type RequestMetrics } from "./handler.ts";
export { createMetrics, reportMetrics } from "./handler.ts";
