/** Input and result of a signature check. */

import type { AlgorithmIdentifier, PublicKeyInfo } from "../../types.ts";

/** One signature: over `data`, made by the private part of `key`. */
export interface SignatureInput {
  readonly algorithm: AlgorithmIdentifier;
  readonly key: PublicKeyInfo;
  /** DER of DSA parameters for a key that leaves them to its issuer (RFC 3279 §2.3.2). */
  readonly inheritedParameters?: Uint8Array | undefined;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * `good`: it verifies. `bad`: it does not, for the reason given. `unsupported`: it cannot be checked here, which is
 * never treated as either of the others.
 */
export type SignatureResult =
  | { readonly kind: "good" }
  | { readonly kind: "bad" | "unsupported"; readonly reason: string };

/** Verifies one signature algorithm. */
export interface Verifier {
  /** OIDs of the keys that it accepts. */
  readonly keyOids: readonly string[];
  /** Returns why this key or identifier is invalid (`bad`) or not supported (`unsupported`); undefined when neither. */
  precheck(input: SignatureInput): SignatureResult | undefined;
  /** Microseconds that one check takes with this key, measured; charged to the budget. */
  cost(input: SignatureInput): number;
  /** Returns whether the signature verifies. May throw when the runtime refuses the key, which counts as unsupported. */
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
