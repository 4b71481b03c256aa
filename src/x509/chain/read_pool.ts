/** Reads the certificates that were sent with the leaf, without duplicates. */

import { createHash } from "node:crypto";
import type { Pause } from "../../base/pace.ts";
import { parseCertificate } from "../certificate.ts";
import type { Certificate, CertificateReading, Finding } from "../types.ts";
import type { CertificateSource } from "./types.ts";

/** Result of reading a pool. */
export interface PoolReading {
  /** Without duplicates of one another and of the leaf. */
  readonly certificates: readonly Certificate[];
  /** Number of different certificates other than the leaf, readable or not. */
  readonly size: number;
  /** Why some of them could not be read. */
  readonly findings: readonly Finding[];
}

/** Reads a pool of at most `limit` different certificates. A larger one is counted but not read. */
export async function readPool(
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
export function readSource(source: CertificateSource): CertificateReading {
  return source instanceof Uint8Array
    ? parseCertificate(source)
    : { certificate: source, findings: source.findings };
}

function fingerprintOf(source: CertificateSource): string {
  return source instanceof Uint8Array
    ? createHash("sha256").update(source).digest("hex")
    : source.fingerprintSha256;
}
