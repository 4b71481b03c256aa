/** What assignments and signing requests have beside the usual: assigning many certificates, importing a request. */

import { z } from "zod";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { BULK_ASSIGN_INPUT, bulkAssign } from "../domain/assignments/mod.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { IMPORT_REQUEST_INPUT, importRequest, signingRequests } from "../domain/signing_requests/mod.ts";
import { etagOfObject } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Call, Operation } from "./operation.ts";

const ROOT = "/api/plugins/certmgr/";
const TAG = "plugins/certmgr";
const IDS = z.array(z.int());

/** Operations on the inventory beside those of every resource. */
export function inventoryOperations(): Operation[] {
  return [
    {
      method: "POST",
      path: `/api/${signingRequests.path}/import/`,
      operationId: "importCertificateSigningRequest",
      summary: "Import a certificate signing request",
      description:
        "Needs `add` on signing requests. One request as PEM; names, key and fingerprint are read from it. A signature " +
        "that does not verify, and a request that is there already, are refused. `warnings` are in this answer only.",
      tag: TAG,
      request: IMPORT_REQUEST_INPUT,
      answers: {
        201: {
          description: "The request; `warnings` says what is odd about it.",
          schema: { $ref: "#/components/schemas/CertificateSigningRequest" },
        },
      },
      handle: importOne,
    },
    assignOperation(`/api/${certificates.path}/bulk-assign/`, "bulkAssignCertificates"),
    // Where the specification's table of permissions has it.
    assignOperation(`${ROOT}bulk-assign/`, "bulkAssign"),
  ];
}

function assignOperation(path: string, operationId: string): Operation {
  return {
    method: "POST",
    path,
    operationId,
    summary: "Assign certificates to a device, a virtual machine or a service",
    description:
      "Needs `bulk_operations`, `add` on assignments, and an object that the caller may view. Up to " +
      `${MAX_BULK_OBJECTS} certificates; those that are assigned to it already are passed over, ids that are not there ` +
      "are listed in `not_found_ids`. All others are assigned, or none: a certificate of another tenant than the " +
      "object's refuses it.",
    tag: TAG,
    request: BULK_ASSIGN_INPUT,
    answers: {
      201: {
        description: "How many were assigned, were assigned already, or are not there.",
        schema: z.object({ created_count: z.int(), skipped_count: z.int(), not_found_ids: IDS }),
      },
    },
    handle: async ({ ctx, json: body }) =>
      json(await bulkAssign({ ctx, input: await body() }), { status: 201 }),
  };
}

async function importOne({ ctx, json: body }: Call): Promise<Response> {
  const object = await importRequest({ ctx, input: await body() });
  const etag = etagOfObject(object);
  return json(object, {
    status: 201,
    headers: { location: String(object.url), ...(etag === undefined ? {} : { etag }) },
  });
}
