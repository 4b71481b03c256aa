/** Input and result of a chain validation. */

import type { Millis } from "../../base/clock.ts";
import type { Pause } from "../../base/pace.ts";
import type { FailureCode } from "../findings.ts";
import type { Certificate, Finding } from "../types.ts";
import type { AnchorIndex } from "./anchors.ts";
import type { ChainLimits } from "./limits.ts";
import type { PolicyInputs, PolicySets } from "./policies/mod.ts";

/** The possible results of a validation. */
export type ChainStatus =
  | "valid"
  | "self_signed"
  | "no_chain"
  | "incomplete"
  | "invalid_signature"
  | "expired"
  | "not_yet_valid"
  | "parse_error";

/** The anchor of a path: a self-signed certificate of the chain itself, or a trust anchor of the caller. */
export type AnchorKind = "bundle" | "tracked_ca" | "public_root";

/** A trust anchor of the caller. */
export interface Anchor {
  readonly certificate: Certificate;
  readonly kind: Exclude<AnchorKind, "bundle">;
}

export interface PathFailure {
  readonly code: FailureCode;
  /** The certificate's number on the path; the leaf is 1. */
  readonly position: number;
  /** What is wrong, as the rest of a sentence whose subject is the certificate: `is not a CA`. */
  readonly sentence: string;
  /** The source of the rule: `RFC 5280 §6.1.4 (k)`. */
  readonly citation: string;
}

/** A certificate, as DER or already parsed. */
export type CertificateSource = Uint8Array | Certificate;

/** Findings about a certificate that could not be read. */
export interface UnreadableFile {
  readonly unreadable: readonly Finding[];
}

/** Input of one validation. */
export interface ChainRequest {
  readonly leaf: CertificateSource | UnreadableFile;
  /**
   * All certificates that were sent with the leaf, in any order. Superfluous certificates and duplicates are
   * harmless.
   */
  readonly pool: readonly CertificateSource[];
  /** Findings about the text of the chain. */
  readonly poolFindings?: readonly Finding[];
  /** Trust anchors. If there are many, index them once with `indexAnchors`. */
  readonly anchors: readonly Anchor[] | AnchorIndex;
  /** Validation time in milliseconds since the epoch; compared in whole seconds. */
  readonly at: Millis;
  readonly limits?: Partial<ChainLimits>;
  /** Makes a path without a root `incomplete` instead of `valid`. */
  readonly requireRoot?: boolean;
  /** Initial inputs of policy processing. By default, every policy is accepted and none is required. */
  readonly policy?: PolicyInputs;
  /** Lets other work run. Called between two certificates and before each signature. */
  readonly pause?: Pause;
}

/** One certificate of the reported path. */
export interface PathMember {
  readonly certificate: Certificate;
  readonly isLeaf: boolean;
  readonly isSelfSigned: boolean;
}

/** Result of one validation. */
export interface ChainResult {
  readonly status: ChainStatus;
  /** True only for `valid` and `self_signed`. */
  readonly isValid: boolean;
  /** One sentence for people. */
  readonly message: string;
  /** Length of {@link path}; 0 if the leaf cannot be read. */
  readonly depth: number;
  /** Whether the path ends in an anchor. */
  readonly complete: boolean;
  readonly anchor: AnchorKind | "none";
  /** Whether it is valid and ends in a public root, even if the caller tracks that root. */
  readonly publiclyTrusted: boolean;
  /** The reported path, leaf first. */
  readonly path: readonly PathMember[];
  /** Policies for which the path is valid. Empty if it does not end, or its policies are not valid. */
  readonly policies: PolicySets;
  /** Failures of the certificates of the path, leaf first. */
  readonly failures: readonly PathFailure[];
  /** `code: Certificate 2 is not a CA (RFC 5280 §6.1.4 (k))`, leaf first. */
  readonly errors: readonly string[];
  /** Conditions that do not make the path invalid, in the same format. */
  readonly warnings: readonly string[];
}
