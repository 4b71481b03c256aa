/** Keys for tests: generated at the first use, and cached by type and slot until the process ends. */

import { encodePem } from "../../../src/x509/mod.ts";
import {
  algorithmIdentifier,
  defaultHash,
  generationParameters,
  type KeyKind,
  type SignOptions,
  webCryptoParameters,
} from "./algorithms.ts";
import { integer, oid, sequence } from "./der_writer.ts";

/** A signature and its AlgorithmIdentifier (DER). */
export interface Signature {
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
}

/** A key pair. */
export interface TestKey {
  readonly kind: string;
  /** DER of the SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** DER of the PKCS#8 private key. */
  readonly pkcs8: Uint8Array;
  /** `-----BEGIN PRIVATE KEY-----` … */
  readonly privateKeyPem: string;
  /** Returns the AlgorithmIdentifier of {@link sign} with the same options. */
  algorithm(options?: SignOptions): Uint8Array;
  sign(data: Uint8Array, options?: SignOptions): Promise<Signature>;
}

const cache = new Map<string, Promise<TestKey>>();

/** Returns the key of this type in this slot; two slots have two keys. */
export function testKey(kind: KeyKind, slot = "default"): Promise<TestKey> {
  const id = `${kind}/${slot}`;
  let key = cache.get(id);
  if (key === undefined) cache.set(id, key = newKey(kind));
  return key;
}

/** Generates a key. RSA takes 0.2 to 2 s, other types take a millisecond. */
export async function newKey(kind: KeyKind): Promise<TestKey> {
  const pair = await crypto.subtle.generateKey(generationParameters(kind), true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey("spki", pair.publicKey),
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
  ]);
  return keyOf({ kind, spki: new Uint8Array(spki), pkcs8: new Uint8Array(pkcs8) });
}

/** The BIT STRING at the end of an RSA-2048 key with the usual exponent. */
const RSA_2048_BIT_STRING_BYTES = 275;

/** Returns a key that was generated before, in this process or another one. */
export function storedKey({ kind, spki, pkcs8 }: Pick<TestKey, "kind" | "spki" | "pkcs8">): TestKey {
  return keyOf({ kind: kind as KeyKind, spki, pkcs8 });
}

const RSASSA_PSS = sequence(oid("1.2.840.113549.1.1.10"));

function keyOf({ kind, spki, pkcs8 }: { kind: KeyKind; spki: Uint8Array; pkcs8: Uint8Array }): TestKey {
  const imported = new Map<string, Promise<CryptoKey>>();
  const pssOnly = kind === "rsapss2048";
  function complete(options: SignOptions = {}): Required<SignOptions> {
    return { hash: options.hash ?? defaultHash(kind), pss: pssOnly || options.pss === true };
  }
  return {
    kind,
    spki: pssOnly ? renamedRsaKey(spki) : spki,
    pkcs8,
    privateKeyPem: encodePem(pkcs8, "PRIVATE KEY"),
    algorithm: (options) => algorithmIdentifier(kind, complete(options)),
    async sign(data, options): Promise<Signature> {
      const full = complete(options);
      const parameters = webCryptoParameters(kind, full);
      const id = JSON.stringify(parameters);
      let key = imported.get(id);
      if (key === undefined) {
        key = crypto.subtle.importKey("pkcs8", pkcs8 as BufferSource, parameters, false, ["sign"]);
        imported.set(id, key);
      }
      const raw = new Uint8Array(await crypto.subtle.sign(parameters, await key, data as BufferSource));
      const signature = kind.startsWith("p") ? ecdsaDer(raw) : raw;
      return { algorithm: algorithmIdentifier(kind, full), signature };
    },
  };
}

/** Returns an RSA key with the RSASSA-PSS OID, because WebCrypto exports every RSA key as rsaEncryption. */
function renamedRsaKey(spki: Uint8Array): Uint8Array {
  return sequence(RSASSA_PSS, spki.subarray(spki.length - RSA_2048_BIT_STRING_BYTES));
}

/** Returns an ECDSA-Sig-Value from WebCrypto's two concatenated numbers. */
function ecdsaDer(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  return sequence(integer(positive(raw.subarray(0, half))), integer(positive(raw.subarray(half))));
}

function positive(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytes.toHex()}`);
}
