/** Certificate signing requests. */

export { importRequest } from "./import_request.ts";
export { recordRenewed } from "./record_renewed.ts";
export { type SigningRequest, signingRequests } from "./resource.ts";
