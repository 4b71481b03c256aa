/** What a signature check is asked, and what it can answer. */

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
 * `good`: it verifies. `bad`: it does not, for the reason given. `unsupported`: nobody here can tell, which is never
 * taken for either of the others.
 */
export type SignatureResult =
  | { readonly kind: "good" }
  | { readonly kind: "bad" | "unsupported"; readonly reason: string };

/** One way of checking signatures. */
export interface Verifier {
  /** OIDs of the keys that it works with. */
  readonly keyOids: readonly string[];
  /** Why this key or identifier cannot be right (`bad`) or cannot be judged here (`unsupported`); undefined: go on. */
  precheck(input: SignatureInput): SignatureResult | undefined;
  /** Microseconds that one check takes with this key, measured; what a check is charged in the budget. */
  cost(input: SignatureInput): number;
  /** Whether the signature verifies; may throw when the runtime refuses the key, which counts as unsupported. */
  verify(input: SignatureInput): Promise<boolean>;
}

/** A `bad` result. */
export function bad(reason: string): SignatureResult {
  return { kind: "bad", reason };
}

/** An `unsupported` result. */
export function unsupported(reason: string): SignatureResult {
  return { kind: "unsupported", reason };
}
