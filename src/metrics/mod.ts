/** Metrics for Prometheus, and names for the spans of OpenTelemetry. */

export { createRequestMetrics, type RequestMetrics } from "./requests.ts";
export { createMetrics } from "./handler.ts";
export { nameSpan } from "./span.ts";
