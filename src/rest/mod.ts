/** The REST surface. */

export { type Client, readClient } from "./client.ts";
export { API_HEADERS, defect, refusal, withHeaders } from "./http.ts";
export type { Operation } from "./operation.ts";
export { createRateLimiter } from "./rate_limit.ts";
export { createSurface, type Envelope } from "./surface.ts";
export { operationTable } from "./table.ts";
