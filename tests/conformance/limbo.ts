/** Annotated chain cases: the schema of x509-limbo, and annotations with the expected answer of this service. */

import { ERRATA } from "./errata.ts";

/** One case; fields that are not used here are left out. */
export interface LimboCase {
  readonly id: string;
  readonly trusted_certs: readonly string[];
  readonly untrusted_intermediates: readonly string[];
  readonly peer_certificate: string;
  /** ISO 8601; null means now. */
  readonly validation_time: string | null;
  readonly expected_result: "SUCCESS" | "FAILURE";
}

/** The expected result of a case. */
export interface Annotation {
  readonly tier: string;
  readonly expect: "accept" | "reject" | "either";
  /** Accepted statuses; by default any. */
  readonly status?: readonly string[];
  readonly why: string;
}

/** A case with its expected result. */
export interface AnnotatedCase extends Annotation {
  readonly case: LimboCase;
}

/** Tiers whose errors fail a run. */
export const DECISIVE_TIERS: readonly string[] = ["core", "should", "derived", "bt-path", "bt-nc"];

/** Reads cases and annotations. Cases without an annotation use their own expected result. */
export function readCases(casesText: string, annotationsText?: string): AnnotatedCase[] {
  const { testcases } = JSON.parse(casesText) as { testcases: LimboCase[] };
  const annotations = annotationsText === undefined
    ? {}
    : JSON.parse(annotationsText) as Record<string, Annotation>;
  return testcases.map((item) => ({
    case: item,
    ...annotations[item.id] ?? ownAnnotation(item),
    ...(annotationsText === undefined ? {} : ERRATA[item.id]),
  }));
}

/**
 * Returns an annotation that is for information only, because many results depend on host names, revocation and profile
 * rules, which are not validated here.
 */
function ownAnnotation({ id, expected_result }: LimboCase): Annotation {
  return {
    tier: id.split("::").slice(0, -1).join("::"),
    expect: expected_result === "SUCCESS" ? "accept" : "reject",
    why: "not annotated",
  };
}
