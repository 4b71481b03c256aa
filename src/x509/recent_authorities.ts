/**
 * Remembers the certificates of authorities that were read last: most certificates come with the same few chains.
 * Parsing the same bytes always gives the same result.
 */

import { Buffer } from "node:buffer";
import { parseCertificate } from "./certificate.ts";
import type { CertificateReading } from "./types.ts";

/** Certificates that are remembered: chains of some dozen authorities. */
const MAX_REMEMBERED = 128;
/** Bytes of the largest one. */
const MAX_BYTES = 8_192;

/** By their bytes, the one that was not needed for the longest time first. */
const remembered = new Map<string, CertificateReading>();

/** Does the same as {@link parseCertificate}; authorities are read once. */
export function parseOrRecall(der: Uint8Array): CertificateReading {
  if (der.length > MAX_BYTES) return parseCertificate(der);
  const key = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("latin1");
  const known = remembered.get(key);
  // A copy, because a certificate keeps the memory that it was read from: a whole file, perhaps.
  const reading = known ?? parseCertificate(der.slice());
  if (reading.certificate?.basicConstraints?.ca !== true) return reading;
  remembered.delete(key);
  remembered.set(key, reading);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return reading;
}
