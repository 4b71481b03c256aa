/** The REST API under `/api/`. */

export { createRest } from "./handler.ts";
export { API_HEADERS, defect, refusal } from "./http.ts";
export type { Operation } from "./operation.ts";
export { operationTable } from "./table.ts";
