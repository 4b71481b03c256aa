/** Input and result of a signature check. */

import type { AlgorithmIdentifier, PublicKeyInfo } from "../../types.ts";

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
