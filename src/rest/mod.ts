/** The REST surface. */

export { readClient } from "./client.ts";
export { API_HEADERS, defect, refusal, withHeaders } from "./http.ts";
export type { Operation } from "./operation.ts";
export { createRateLimiter } from "./rate_limit.ts";
export { isApi, screenRequest } from "./screen.ts";
export { createSurface } from "./surface.ts";
export { operationTable } from "./table.ts";
