/** Imports endpoints from a table, or from a list of names. */

export { ENDPOINT_COLUMNS } from "./read_document.ts";
export { importEndpoints } from "./import_endpoints.ts";
