/**
 * Checks whether a server has the private key of the certificate that it presents: by its signature of the
 * handshake. Without it, anyone can present the certificates of others.
 */

import { publicKeyOf } from "../x509/mod.ts";
import { ascii, ByteReader, concat } from "./bytes.ts";
import type { Exchange } from "./cipher_names.ts";
import { ProbeError } from "./types.ts";

/** Whether the server has proven that it has the key, and an invalid proof in a sentence. */
export interface Proof {
  readonly possession: "proven" | "unproven";
  readonly fault?: string;
}

/** The result if nothing can be said: the server signs nothing, or in a way that cannot be checked here. */
export const UNPROVEN: Proof = { possession: "unproven" };

const RSA_PSS = "1.2.840.113549.1.1.10";
/**
 * OIDs of signature algorithms by their numbers in TLS (RFC 8446 §4.2.3, RFC 5246 §7.4.1.4.1), in the order of
 * preference.
 */
const SCHEMES: ReadonlyMap<number, string> = new Map([
  [0x0403, "1.2.840.10045.4.3.2"],
  [0x0503, "1.2.840.10045.4.3.3"],
  [0x0603, "1.2.840.10045.4.3.4"],
  [0x0807, "1.3.101.112"],
  [0x0808, "1.3.101.113"],
  [0x0804, RSA_PSS],
  [0x0805, RSA_PSS],
  [0x0806, RSA_PSS],
  [0x0809, RSA_PSS],
  [0x080a, RSA_PSS],
  [0x080b, RSA_PSS],
  [0x0904, "2.16.840.1.101.3.4.3.17"],
  [0x0905, "2.16.840.1.101.3.4.3.18"],
  [0x0906, "2.16.840.1.101.3.4.3.19"],
  [0x0401, "1.2.840.113549.1.1.11"],
  [0x0501, "1.2.840.113549.1.1.12"],
  [0x0601, "1.2.840.113549.1.1.13"],
  [0x0402, "2.16.840.1.101.3.4.3.2"],
  [0x0303, "1.2.840.10045.4.3.1"],
  [0x0301, "1.2.840.113549.1.1.14"],
  [0x0203, "1.2.840.10045.4.1"],
  [0x0201, "1.2.840.113549.1.1.5"],
  [0x0202, "1.2.840.10040.4.3"],
]);

/** The numbers of the signature algorithms that are offered. */
export const OFFERED_SIGNATURES: readonly number[] = [...SCHEMES.keys()];

/** Returns the DER of RSASSA-PSS-params (RFC 4055 §3.1): the same hash for the message and the mask. */
function pssParameters(scheme: number): Uint8Array {
  // The numbers end with 4, 5 and 6 for keys of RSA, and with 9, a and b for those of RSA-PSS. The last byte of
  // the hash's OID is 1, 2 or 3, and the salt is as long as the hash.
  const hash = ((scheme & 0xf) + 1) % 5 + 1;
  const salt = 16 * (hash + 1);
  const digest = concat(Uint8Array.fromHex("300b06096086480165030402"), [hash]);
  const mask = concat(Uint8Array.fromHex("301806092a864886f70d010108"), digest);
  return concat([0x30, 0x30, 0xa0, 0x0d], digest, [0xa1, 0x1a], mask, [0xa2, 3, 2, 1, salt]);
}

/**
 * Checks the signature of TLS 1.3 (RFC 8446 §4.4.3).
 * @param message.body The body of CertificateVerify.
 * @param message.transcript The hash of all messages before it.
 */
export async function verifyTranscript(
  leaf: Uint8Array,
  { body, transcript }: { body: Uint8Array; transcript: Uint8Array },
): Promise<Proof> {
  const label = concat(new Uint8Array(64).fill(0x20), ascii("TLS 1.3, server CertificateVerify"), [0]);
  return await verify(leaf, { signed: new ByteReader(body), data: concat(label, transcript) });
}

const NAMED_CURVE = 3;

/**
 * Checks the signature of TLS 1.2 (RFC 5246 §7.4.3, RFC 8422 §5.4).
 * @param message.body The body of ServerKeyExchange.
 * @param message.randoms The random values of client and server.
 */
export async function verifyKeyExchange(
  leaf: Uint8Array,
  { body, randoms, exchange }: { body: Uint8Array; randoms: Uint8Array; exchange: Exchange },
): Promise<Proof> {
  const reader = new ByteReader(body);
  if (exchange.startsWith("ECDHE")) {
    if (reader.number(1) !== NAMED_CURVE) return UNPROVEN;
    reader.take(2);
    reader.vector(1);
  } else for (let left = 3; left > 0; left--) reader.vector(2);
  const parameters = body.subarray(0, body.length - reader.left);
  return await verify(leaf, { signed: reader, data: concat(randoms, parameters) });
}

async function verify(
  leaf: Uint8Array,
  { signed, data }: { signed: ByteReader; data: Uint8Array },
): Promise<Proof> {
  const scheme = signed.number(2);
  const signature = signed.vector(2);
  const oid = SCHEMES.get(scheme);
  if (oid === undefined) throw new ProbeError("The server chose a signature algorithm that was not offered.");
  const key = publicKeyOf(leaf);
  if (key === undefined) return UNPROVEN;
  const algorithm = {
    oid,
    name: `signature algorithm ${scheme}`,
    der: new Uint8Array(),
    ...(oid === RSA_PSS ? { parameters: pssParameters(scheme) } : {}),
  };
  // Loaded here, because it takes time, and only processes that probe need it.
  const { verifySignature } = await import("../x509/chain/mod.ts");
  const { kind } = await verifySignature({ key, algorithm, data, signature });
  if (kind === "bad") {
    return { ...UNPROVEN, fault: "The server does not prove that it has the key of its certificate." };
  }
  return kind === "good" ? { possession: "proven" } : UNPROVEN;
}
