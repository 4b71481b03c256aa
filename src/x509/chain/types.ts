/** What a chain validation is asked and what it answers. */

import type { Millis } from "../../base/clock.ts";
import type { Pause } from "../../base/pace.ts";
import type { Certificate, Finding } from "../types.ts";
import type { AnchorIndex } from "./anchors.ts";
import type { ChainLimits } from "./limits.ts";

/** The eight results of a validation. */
export type ChainStatus =
  | "valid"
  | "self_signed"
  | "no_chain"
  | "incomplete"
  | "invalid_signature"
  | "expired"
  | "not_yet_valid"
  | "parse_error";

/** Where the trust of a path comes from: the chain's own self-signed certificate, or one that the caller vouches for. */
export type AnchorKind = "bundle" | "tracked_ca" | "public_root";

/** A certificate that the caller vouches for. */
export interface Anchor {
  readonly certificate: Certificate;
  readonly kind: Exclude<AnchorKind, "bundle">;
}

/** What can be wrong with a path. */
export type FailureCode =
  | "not_a_ca"
  | "path_length"
  | "key_usage"
  | "name_constraints"
  | "critical_extension"
  | "duplicate_extension"
  | "malformed_extension"
  | "algorithm_mismatch"
  | "unsupported_algorithm"
  | "bad_signature"
  | "expired"
  | "not_yet_valid"
  | "issuer_missing"
  | "limit";

/** One thing that is wrong with a path. */
export interface Failure {
  readonly code: FailureCode;
  /** The certificate's number on the path; the leaf is 1. */
  readonly position: number;
  /** What is wrong, as the rest of a sentence that begins with the certificate: `is not a CA`. */
  readonly sentence: string;
  /** Where it is required: `RFC 5280 §6.1.4 (k)`. */
  readonly citation: string;
}

/** A certificate as DER, or already read. */
export type CertificateSource = Uint8Array | Certificate;

/** What stands in a text instead of a certificate. */
export interface Unreadable {
  readonly unreadable: readonly Finding[];
}

/** One validation: bytes and a time in, a verdict out. */
export interface ChainRequest {
  readonly leaf: CertificateSource | Unreadable;
  /** Everything that came with the leaf, in any order; extras and duplicates do no harm. */
  readonly pool: readonly CertificateSource[];
  /** What of the chain's text could not be read. */
  readonly poolFindings?: readonly Finding[];
  /** Certificates that the caller vouches for; index them once with `indexAnchors` when they are many. */
  readonly anchors: readonly Anchor[] | AnchorIndex;
  /** The moment asked about, in milliseconds since the epoch; judged at whole seconds. */
  readonly at: Millis;
  readonly limits?: Partial<ChainLimits>;
  /** A path whose root is not here is `incomplete` instead of `valid`. */
  readonly requireRoot?: boolean;
  /** Waits where other work is to have its turn; called between two certificates and before each signature. */
  readonly pause?: Pause;
}

/** One certificate of the path that a verdict reports. */
export interface PathMember {
  readonly certificate: Certificate;
  readonly isLeaf: boolean;
  readonly isSelfSigned: boolean;
}

/** The answer. */
export interface ChainResult {
  readonly status: ChainStatus;
  /** True for `valid` and `self_signed` only. */
  readonly isValid: boolean;
  /** One sentence for people. */
  readonly message: string;
  /** Length of {@link path}; 0 when the leaf cannot be read. */
  readonly depth: number;
  /** Whether the path ends in an anchor. */
  readonly complete: boolean;
  readonly anchor: AnchorKind | "none";
  /** The path that the verdict is about, leaf first. */
  readonly path: readonly PathMember[];
  /** What is wrong with the certificates of the path, leaf first. */
  readonly failures: readonly Failure[];
  /** `code: Certificate 2 is not a CA (RFC 5280 §6.1.4 (k))`, leaf first. */
  readonly errors: readonly string[];
  /** What is odd but does not break the path, in the same form. */
  readonly warnings: readonly string[];
}
