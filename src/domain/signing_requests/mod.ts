/** Certificate signing requests. */

export { importRequest } from "./import_request.ts";
export { type InspectedRequest, inspectRequest } from "./inspect_request.ts";
export { signingRequests } from "./resource.ts";
