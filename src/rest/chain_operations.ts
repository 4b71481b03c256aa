/** Chain validation, ACME detection, revocation and the details of certificates. */

import { MAX_BULK_OBJECTS, MAX_CHAIN_BATCH } from "../base/limits.ts";
import { bulkDetectAcme, detectAcme } from "../domain/certificates/acme/detect_acme.ts";
import {
  bulkValidateChains,
  validateCertificateChain,
} from "../domain/certificates/chain/validate_certificate.ts";
import { CertificateDetails } from "../domain/certificates/chain/responses.ts";
import { describeStored } from "../domain/certificates/chain/view_chain.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { bulkCheckRevocation, checkRevocation } from "../domain/revocation/mod.ts";
import { jsonResponse } from "./http.ts";
import { get, type Operation, post } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";

const BASE = `/api/${certificates.path}/`;

const CHANGED: Operation["responses"] = {
  409: {
    description: "A certificate was changed while its chain was validated.",
    schema: { $ref: "#/components/schemas/Detail" },
  },
};

export function chainOperations(): Operation[] {
  return [
    post(`${BASE}{id}/validate-chain/`, validateCertificateChain, {
      operationId: "validateChain",
      summary: "Validate the chain, now (and store the result) or at another time",
      description:
        "Needs `change`, and a certificate with `pem_content`. Without a body the chain is validated now, and the " +
        "result stored (`chain_status`, `chain_depth`, …); with `at` it is validated at that time, and with " +
        "`policy` for those policy inputs; then nothing is stored. `policies` lists the certificate policies for which the path " +
        "is valid (RFC 5280 §6.1.6): `authority` by its certificates, `user` those of them that are acceptable. " +
        "`anchor` says where the path ends: `public_root`, `tracked_ca` (an authority with `pem_content`), `bundle` " +
        "(a self-signed root in `issuer_chain` that is not trusted otherwise; still `valid`) or `none`. Revocation " +
        "and host names are not checked.",
      response: "The result.",
      responses: CHANGED,
    }),
    post(`${BASE}bulk-validate-chain/`, bulkValidateChains, {
      operationId: "bulkValidateChain",
      summary: "Validate the chains of many certificates",
      description:
        `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_CHAIN_BATCH} ids; those that do not exist are listed ` +
        "in `missing_ids`, and one without `pem_content` is a `parse_error`. All results are stored, or none.",
      response: "The results.",
      responses: CHANGED,
    }),
    post(`${BASE}{id}/detect-acme/`, detectAcme, {
      operationId: "detectAcme",
      summary: "Detect whether an ACME provider issued a certificate",
      description:
        "Needs `change`. Stores `is_acme` and `acme_provider`: the provider that the issuer's name matches. " +
        "Certificates of authorities, self-signed ones, and ones that are not for TLS servers never match; those of " +
        "Buypass, Sectigo and DigiCert do not match if they state a validation other than domain validation. Without " +
        "`pem_content` the issuer's name decides, unless its common name equals that of the certificate. A certificate " +
        "that does not match has both cleared.",
      response: "The result.",
    }),
    post(`${BASE}bulk-detect-acme/`, bulkDetectAcme, {
      operationId: "bulkDetectAcme",
      summary: "Detect which of many certificates an ACME provider issued",
      description:
        `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_BULK_OBJECTS} ids; those that do not exist are listed ` +
        "in `missing_ids`. All results are stored, or none.",
      response: "The results.",
    }),
    get(`${BASE}{id}/details/`, {
      operationId: "getCertificateDetails",
      summary: "Show all fields of a certificate's PEM",
      description:
        "Needs `view`, and a certificate with `pem_content`, from which they are read: names, key, extensions, " +
        "fingerprints.",
      parameters: () => [],
      responses: { 200: { description: "The details.", schema: CertificateDetails } },
      handle: async ({ ctx, id, query }) => {
        refuseUnknown(query);
        return jsonResponse(await describeStored({ ctx, id }));
      },
    }),
    post(`${BASE}{id}/check-revocation/`, checkRevocation, {
      operationId: "checkRevocation",
      summary: "Ask the authority whether a certificate is revoked",
      description:
        "Needs `change`. Waits at most ten seconds for the revocation lists and responders that the certificate names; a " +
        "check that takes longer continues, and its result is stored. The service itself stores what follows.",
      response: "The status with the newest evidence.",
    }),
    post(`${BASE}bulk-check-revocation/`, bulkCheckRevocation, {
      operationId: "bulkCheckRevocation",
      summary: "Check many certificates against the revocation lists that are kept",
      description:
        `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_CHAIN_BATCH} ids; those that do not exist are listed in ` +
        "`missing_ids`. Sends no requests: a certificate without a current answer is `unavailable`, and checked within a " +
        "minute.",
      response: "The results.",
    }),
  ];
}
