/** Input and result of a signature check. */

import { TAG } from "../../der.ts";
import type { AlgorithmIdentifier, PublicKeyInfo } from "../../types.ts";

/** Returns an element: identifier octet, shortest length, content. */
function tlv(tag: number, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = contents.reduce((sum, content) => sum + content.length, 0);
  const length = size < 0x80
    ? [size]
    : size < 0x100
    ? [0x81, size]
    : size < 0x10000
    ? [0x82, size >> 8, size & 0xff]
    : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
  const element = new Uint8Array(1 + length.length + size);
  element.set([tag, ...length]);
  let position = 1 + length.length;
  for (const content of contents) {
    element.set(content, position);
    position += content.length;
  }
  return element;
}

const NO_UNUSED_BITS = Uint8Array.of(0);

/**
 * Returns a SubjectPublicKeyInfo of the OID content of the algorithm, the DER of its parameters (or nothing)
 * and the key bits.
 */
export function subjectPublicKeyInfo(
  oid: Uint8Array,
  { parameters, bits }: { parameters?: Uint8Array; bits: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const algorithm = tlv(TAG.sequence, tlv(TAG.oid, oid), parameters ?? new Uint8Array(0));
  return tlv(TAG.sequence, algorithm, tlv(TAG.bitString, NO_UNUSED_BITS, bits));
}

/**
 * Returns whether parameters are absent or NULL. RSA identifiers must have NULL, but absence is accepted (RFC
 * 4055 §2.1, RFC 8017 §A.2.4).
 */
export function noneOrNull(parameters: Uint8Array | undefined): boolean {
  return parameters === undefined ||
    (parameters.length === 2 && parameters[0] === TAG.null && parameters[1] === 0);
}

/** A signature over `data`, made by the private part of `key`. */
export interface SignatureInput {
  readonly algorithm: AlgorithmIdentifier;
  readonly key: PublicKeyInfo;
  /** DER of the parameters for a DSA key that inherits them from its issuer (RFC 3279 §2.3.2). */
  readonly inheritedParameters?: Uint8Array | undefined;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * `good`: it is valid. `bad`: it is invalid for the given reason. `unsupported`: it cannot be checked here,
 * and must not be treated as either of the others.
 */
export type SignatureResult =
  | { readonly kind: "good" }
  | { readonly kind: "bad" | "unsupported"; readonly reason: string };

/** Verifies the signatures of one algorithm. */
export interface Verifier {
  /** OIDs of the keys that it accepts. */
  readonly keyOids: readonly string[];
  /** Returns why this key or identifier is invalid (`bad`) or unsupported; undefined if it is neither. */
  precheck(input: SignatureInput): SignatureResult | undefined;
  /** Returns the measured microseconds of a check with this key, which the budget is charged. */
  cost(input: SignatureInput): number;
  /**
   * Returns whether the signature is valid. May throw if the runtime refuses the key, which then counts as
   * unsupported.
   */
  verify(input: SignatureInput): Promise<boolean>;
}

/** Returns a `bad` result. */
export function badSignature(reason: string): SignatureResult {
  return { kind: "bad", reason };
}

/** Returns an `unsupported` result. */
export function unsupported(reason: string): SignatureResult {
  return { kind: "unsupported", reason };
}
