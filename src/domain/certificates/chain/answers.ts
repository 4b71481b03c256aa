/** Verdicts as callers read them (specification, validate-chain; the further members as decided in the contract). */

import { formatDatetime, type Millis } from "../../../base/clock.ts";
import { inventoryFields } from "../../../x509/mod.ts";
import type { ChainResult, ChainStatus } from "../../../x509/chain/mod.ts";

/** What is said about a certificate without PEM. */
export const NO_PEM = "Certificate has no PEM content to validate.";

/** One certificate of the path. */
export interface PathEntry {
  common_name: string;
  subject: string;
  issuer: string;
  is_leaf: boolean;
  is_self_signed: boolean;
  serial_number: string;
  fingerprint_sha256: string;
  valid_from: string;
  valid_to: string;
}

/** The answer about one certificate. */
export interface VerdictAnswer {
  status: ChainStatus;
  is_valid: boolean;
  message: string;
  chain_depth: number;
  certificates: PathEntry[];
  errors: readonly string[];
  warnings: readonly string[];
  complete: boolean;
  anchor: ChainResult["anchor"];
  policies: ChainResult["policies"];
  validated_at: string;
}

/** The answer about many. */
export interface BulkVerdicts {
  validated_count: number;
  valid_count: number;
  invalid_count: number;
  missing_ids: number[];
  results: {
    id: number;
    common_name: string;
    status: ChainStatus;
    is_valid: boolean;
    message: string;
    chain_depth: number;
  }[];
}

/** A verdict as it is answered. */
export function verdictAnswer(verdict: ChainResult, judged: Millis): VerdictAnswer {
  return {
    status: verdict.status,
    is_valid: verdict.isValid,
    message: verdict.message,
    chain_depth: verdict.depth,
    certificates: verdict.path.map(({ certificate, isLeaf, isSelfSigned }) => {
      const said = inventoryFields(certificate);
      return {
        common_name: said.common_name,
        subject: said.subject,
        issuer: said.issuer,
        is_leaf: isLeaf,
        is_self_signed: isSelfSigned,
        serial_number: said.serial_number,
        fingerprint_sha256: said.fingerprint_sha256,
        valid_from: formatDatetime(said.valid_from),
        valid_to: formatDatetime(said.valid_to),
      };
    }),
    errors: verdict.errors,
    warnings: verdict.warnings,
    complete: verdict.complete,
    anchor: verdict.anchor,
    policies: verdict.policies,
    validated_at: formatDatetime(judged),
  };
}
