/** Certificate signing requests. */

export { IMPORT_REQUEST_INPUT, importRequest } from "./import_request.ts";
export { signingRequests } from "./resource.ts";
