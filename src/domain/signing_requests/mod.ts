/** Certificate signing requests. */

export { importRequest, inspectRequest } from "./import_request.ts";
export { type SigningRequest, signingRequests } from "./resource.ts";
