/** The types of rules: code of the failure, citation and check. */

import type { Certificate } from "../../types.ts";
import type { NameCache } from "../names/check.ts";
import type { PoolCertificate } from "../certificate_pool.ts";
import type { FailureCode } from "../../findings.ts";

/** A rule about one certificate, independent of its position. */
export interface CertificateRule {
  readonly code: FailureCode;
  readonly citation: string;
  /**
   * Returns failures, each as the rest of a sentence whose subject is the certificate. `at` is in seconds
   * since the epoch.
   */
  check(certificate: Certificate, at: number): readonly string[];
}

/** Input of an issuer rule: the issuer that is to be appended, and the path below it, leaf first. */
export interface IssuerContext {
  readonly issuer: PoolCertificate;
  readonly below: readonly PoolCertificate[];
  readonly names: NameCache;
}

/** A failure of a certificate of the path: 1 is the leaf, `below.length + 1` the issuer. */
export interface IssuerFinding {
  readonly position: number;
  readonly sentence: string;
  /** Replaces the rule's code if the budget ran out before the rule was checked. */
  readonly code?: "limit";
}

/**
 * A rule about a certificate as the issuer of those below it. It must only get stricter as the path grows.
 */
export interface IssuerRule {
  readonly code: FailureCode;
  readonly citation: string;
  check(context: IssuerContext): readonly IssuerFinding[];
}
