/** Validates one chain. */

import { anchorIndexOf } from "./anchors.ts";
import { ValidationContext } from "./context.ts";
import { decideStatus } from "./decide.ts";
import type { Pause } from "../../base/pace.ts";
import { CHAIN_LIMITS } from "./limits.ts";
import { DEFAULT_POLICY_INPUTS } from "./policies/mod.ts";
import { readPool, readSource } from "./read_pool.ts";
import type { CertificateReading } from "../types.ts";
import type { ChainRequest, ChainResult } from "./types.ts";
import { buildResult, parseErrorResult } from "./result.ts";

/**
 * Validates a chain by RFC 5280 §6.1. A pure function: it uses no clock, files or network, and never throws,
 * whatever the bytes are. Revocation and host names are not checked.
 */
export async function validateChain(request: ChainRequest): Promise<ChainResult> {
  const limits = { ...CHAIN_LIMITS, ...request.limits };
  const reading: CertificateReading = "unreadable" in request.leaf
    ? { findings: request.leaf.unreadable }
    : readSource(request.leaf);
  const leaf = reading.certificate;
  if (leaf === undefined) {
    return parseErrorResult({ message: "The certificate cannot be read", findings: reading.findings });
  }
  const self = [{ certificate: leaf, isLeaf: true, isSelfSigned: false }];
  const pause: Pause = request.pause ?? (() => {});
  const pool = await readPool(request.pool, { leaf, limit: limits.pool, pause });
  if (pool.size > limits.pool) {
    const message = `The chain has ${pool.size} certificates; at most ${limits.pool} are read`;
    return parseErrorResult({ message, findings: [{ code: "limit", message }], path: self });
  }
  const findings = [...request.poolFindings ?? [], ...pool.findings];
  const duplicates = request.pool.length - pool.size;
  const nothingRead = pool.certificates.length + duplicates === 0 && findings.length > 0;
  if (nothingRead) {
    return parseErrorResult({ message: "No certificate of the chain can be read", findings, path: self });
  }
  const anchors = anchorIndexOf(request.anchors);
  const context = new ValidationContext({
    leaf,
    pool: pool.certificates,
    anchors,
    at: request.at,
    limits,
    policy: request.policy ?? DEFAULT_POLICY_INPUTS,
    pause,
  });
  const decision = await decideStatus(context, {
    chainGiven: request.pool.length > 0,
    requireRoot: request.requireRoot ?? false,
  });
  return await buildResult(context, { decision, findings });
}
