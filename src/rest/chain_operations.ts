/** Chain validation, ACME detection and the full description of certificates. */

import { z } from "zod";
import { bulkDetectAcme, detectAcme } from "../domain/certificates/acme/mod.ts";
import { MAX_BULK_OBJECTS, MAX_CHAIN_BATCH } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import {
  bulkValidateChains,
  describeStored,
  PolicyInput,
  validateCertificateChain,
} from "../domain/certificates/chain/mod.ts";
import { DATETIME, documented, idList } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Call, Operation } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";

const BASE = `/api/${certificates.path}/`;
const OBJECT = z.record(z.string(), z.unknown());

const VALIDATED: Operation["answers"] = {
  200: { description: "The result.", schema: OBJECT },
  409: {
    description: "A certificate was changed while its chain was validated.",
    schema: { $ref: "#/components/schemas/Detail" },
  },
};

type Parts =
  & Pick<Operation, "path" | "operationId" | "summary" | "description" | "handle">
  & Partial<Operation>;

function post(parts: Parts): Operation {
  return {
    method: "POST",
    tag: "plugins/certmgr",
    answers: { 200: { description: "The result.", schema: OBJECT } },
    ...parts,
  };
}

/** The operations. */
export function chainOperations(): Operation[] {
  return [
    post({
      path: `${BASE}{id}/validate-chain/`,
      operationId: "validateChain",
      summary: "Validate the chain, now (and store the result) or at another time",
      description:
        "Needs `change`, and a certificate with `pem_content`. Without a body the result is for now, and is " +
        "stored as `chain_status` and its like; with `at` it is for that time, with `policy` for those policy inputs, " +
        "and is only answered. `policies` lists the certificate policies for which the path is valid (RFC 5280 §6.1.6): " +
        "`authority` by its certificates, `user` those of them that are acceptable. `anchor` says where " +
        "the path ends: `public_root`, `tracked_ca` (an authority with `pem_content`), `bundle` (a self-signed " +
        "root out of `issuer_chain`, which nobody vouches for: still `valid`) or `none`. Revocation and host names " +
        "are not checked.",
      answers: VALIDATED,
      request: z.object({
        policy: PolicyInput.nullable().optional()
          .describe("Initial inputs of certificate policy processing (RFC 5280 §6.1.1); null: the defaults."),
        at: documented(z.string(), { anyOf: [DATETIME, { type: "string", format: "date" }] }).nullable()
          .optional()
          .describe("Moment to judge at, a datetime or a date (its first moment, UTC); null: now."),
      }).optional(),
      handle: async ({ ctx, id, json: body }: Call) =>
        json(await validateCertificateChain({ ctx, id, input: await body() })),
    }),
    post({
      path: `${BASE}bulk-validate-chain/`,
      operationId: "bulkValidateChain",
      summary: "Validate the chains of many certificates",
      description:
        `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_CHAIN_BATCH} ids; those that are not there are listed ` +
        "in `missing_ids`, and one without `pem_content` is a `parse_error`. All verdicts are stored, or none.",
      answers: VALIDATED,
      request: z.object({ ids: idList(MAX_CHAIN_BATCH) }),
      handle: async ({ ctx, json: body }) => json(await bulkValidateChains({ ctx, input: await body() })),
    }),
    post({
      path: `${BASE}{id}/detect-acme/`,
      operationId: "detectAcme",
      summary: "Find out whether an ACME provider issued it",
      description:
        "Needs `change`. Stores `is_acme` and `acme_provider`: the provider that the issuer's name matches. " +
        "Certificates of authorities, self-signed ones, and ones that are not for TLS servers never match; those of " +
        "Buypass, Sectigo and DigiCert do not where they state another validation than that of the domain. Without " +
        "`pem_content` the issuer's name decides, unless its common name is the certificate's own. A certificate " +
        "that does not match loses both.",
      handle: async ({ ctx, id }) => json(await detectAcme({ ctx, id })),
    }),
    post({
      path: `${BASE}bulk-detect-acme/`,
      operationId: "bulkDetectAcme",
      summary: "Find out which of many certificates an ACME provider issued",
      description:
        `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_BULK_OBJECTS} ids; those that are not there are listed ` +
        "in `missing_ids`. All findings are stored, or none.",
      request: z.object({ ids: idList(MAX_BULK_OBJECTS) }),
      handle: async ({ ctx, json: body }) => json(await bulkDetectAcme({ ctx, input: await body() })),
    }),
    {
      method: "GET",
      path: `${BASE}{id}/details/`,
      operationId: "getCertificateDetails",
      summary: "Everything that the certificate says",
      description:
        "Needs `view`, and a certificate with `pem_content`, out of which it is read: names, key, extensions, " +
        "fingerprints.",
      tag: "plugins/certmgr",
      parameters: [],
      answers: { 200: { description: "The description.", schema: OBJECT } },
      handle: async ({ ctx, id, query }) => {
        refuseUnknown(query);
        return json(await describeStored({ ctx, id }));
      },
    },
  ];
}
