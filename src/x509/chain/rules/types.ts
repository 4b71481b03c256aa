/** Types of rules: failure code, citation and check. */

import type { Certificate } from "../../types.ts";
import type { NameCache } from "../name_cache.ts";
import type { PoolCertificate } from "../certificate_pool.ts";
import type { FailureCode } from "../types.ts";

/** A rule about one certificate, independent of its position. */
export interface CertificateRule {
  readonly code: FailureCode;
  readonly citation: string;
  /** Returns failures, each as the rest of a sentence that begins with the certificate. `at`: seconds since the epoch. */
  check(certificate: Certificate, at: number): readonly string[];
}

/** Input of an issuer rule: the issuer to add, and the path below it, leaf first. */
export interface IssuerContext {
  readonly issuer: PoolCertificate;
  readonly below: readonly PoolCertificate[];
  readonly names: NameCache;
}

/** A finding about a certificate of the path: 1 is the leaf, `below.length + 1` the issuer. */
export interface IssuerFinding {
  readonly position: number;
  readonly sentence: string;
  /** Replaces the rule's code when the budget ran out before the rule was checked. */
  readonly code?: "limit";
}

/** A rule about a certificate as the issuer of those below it. It must only get stricter as the path grows. */
export interface IssuerRule {
  readonly code: FailureCode;
  readonly citation: string;
  check(context: IssuerContext): readonly IssuerFinding[];
}
