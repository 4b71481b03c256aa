/** Operations on assignments and signing requests other than those that every resource has. */

import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { bulkAssign } from "../domain/assignments/mod.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { importRequest, signingRequests } from "../domain/signing_requests/mod.ts";
import { created } from "./http.ts";
import { type Operation, post } from "./operation.ts";

export function inventoryOperations(): Operation[] {
  return [
    post(`/api/${signingRequests.path}/import/`, importRequest, {
      operationId: "importCertificateSigningRequest",
      summary: "Import a certificate signing request",
      description:
        "Needs `add` on signing requests. One request as PEM; names, key and fingerprint are read from it. A request " +
        "whose signature does not verify, and one that exists already, are refused. `warnings` are in this response only.",
      status: 201,
      response: "The request, with `warnings`.",
      respond: created,
    }),
    assignOperation(`/api/${certificates.path}/bulk-assign/`, "bulkAssignCertificates"),
    // The same operation at a second path.
    assignOperation("/api/plugins/certmgr/bulk-assign/", "bulkAssign"),
  ];
}

function assignOperation(path: string, operationId: string): Operation {
  return post(path, bulkAssign, {
    operationId,
    summary: "Assign certificates to a device, a virtual machine or a service",
    description:
      "Needs `bulk_operations`, `add` on assignments, and an object that the caller may view. Up to " +
      `${MAX_BULK_OBJECTS} certificates; those that are assigned to it already are skipped, ids that do not exist are ` +
      "listed in `not_found_ids`. All others are assigned, or none: the call is refused if a certificate " +
      "belongs to another tenant than the object.",
    status: 201,
    response: "Numbers of certificates that were assigned or skipped, and ids that do not exist.",
  });
}
