/**
 * Caches the CA certificates that were parsed last: most certificates come with the same few chains, and
 * parsing the same bytes always has the same result.
 */

import { Buffer } from "node:buffer";
import { parseCertificate } from "./certificate.ts";
import type { CertificateReading } from "./types.ts";

/**
 * Maximum size of all cached certificates in bytes: the chains of some dozen authorities. What is read from a byte may
 * take 100 bytes of memory.
 */
const MAX_REMEMBERED_BYTES = 256 * 1024;
/** Maximum size of a cached certificate in bytes. */
const MAX_BYTES = 8_192;

/** Readings by the bytes of the certificate, least recently used first. */
const remembered = new Map<string, CertificateReading>();
let rememberedBytes = 0;

/** Works like {@link parseCertificate}, but parses each CA certificate only once. */
export function parseOrRecall(der: Uint8Array): CertificateReading {
  if (der.length > MAX_BYTES) return parseCertificate(der);
  const key = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("latin1");
  const known = remembered.get(key);
  // A copy, because a certificate keeps the memory that it was read from, which may be a whole file.
  const reading = known ?? parseCertificate(der.slice());
  if (reading.certificate?.basicConstraints?.ca !== true) return reading;
  if (!remembered.delete(key)) rememberedBytes += key.length;
  remembered.set(key, reading);
  for (const oldest of remembered.keys()) {
    if (rememberedBytes <= MAX_REMEMBERED_BYTES) break;
    remembered.delete(oldest);
    rememberedBytes -= oldest.length;
  }
  return reading;
}
