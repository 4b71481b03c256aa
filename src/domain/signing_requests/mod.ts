/** Certificate signing requests. */

export { importRequest, type InspectedRequest, inspectRequest } from "./import_request.ts";
export { signingRequests } from "./resource.ts";
