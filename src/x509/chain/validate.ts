/** Validates one chain. */

import { createHash } from "node:crypto";
import type { Pause } from "../../base/pace.ts";
import { parseCertificate } from "../certificate.ts";
import type { Certificate, CertificateReading, Finding } from "../types.ts";
import { anchorIndexOf } from "./anchors.ts";
import { ValidationContext } from "./context.ts";
import { decideStatus } from "./decide.ts";
import { CHAIN_LIMITS } from "./limits.ts";
import { DEFAULT_POLICY_INPUTS } from "./policies/mod.ts";
import { buildResult, parseErrorResult } from "./result.ts";
import type { CertificateSource, ChainRequest, ChainResult } from "./types.ts";

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

/** Result of reading a pool. */
interface PoolReading {
  /** Without duplicates of one another and of the leaf. */
  readonly certificates: readonly Certificate[];
  /** Number of different certificates other than the leaf, readable or not. */
  readonly size: number;
  /** Why some of them could not be read. */
  readonly findings: readonly Finding[];
}

/** Reads a pool of at most `limit` different certificates. A larger one is counted but not read. */
async function readPool(
  sources: readonly CertificateSource[],
  { leaf, limit, pause }: { leaf: Certificate; limit: number; pause: Pause },
): Promise<PoolReading> {
  const different = new Map<string, CertificateSource>();
  for (const source of sources) {
    const fingerprint = fingerprintOf(source);
    if (fingerprint !== leaf.fingerprintSha256) different.set(fingerprint, source);
  }
  const size = different.size;
  if (size > limit) return { certificates: [], size, findings: [] };
  const certificates: Certificate[] = [];
  const findings: Finding[] = [];
  for (const source of different.values()) {
    await pause();
    const reading = readSource(source);
    if (reading.certificate === undefined) findings.push(...reading.findings);
    else certificates.push(reading.certificate);
  }
  return { certificates, size, findings };
}

/** Parses a certificate, unless it is already parsed. */
function readSource(source: CertificateSource): CertificateReading {
  return source instanceof Uint8Array
    ? parseCertificate(source)
    : { certificate: source, findings: source.findings };
}

function fingerprintOf(source: CertificateSource): string {
  return source instanceof Uint8Array
    ? createHash("sha256").update(source).digest("hex")
    : source.fingerprintSha256;
}
