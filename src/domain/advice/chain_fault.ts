/** The fault of a chain that clients notice. */

import { daysUntil, type Millis } from "../../base/clock.ts";
import type { ChainView } from "../certificates/chain/view_chain.ts";
import type { CertificateFacts } from "./certificate_facts.ts";
import type { ChainFault } from "./schema.ts";

/** Results of a chain that clients reject, unless its only failures are {@link UNDECIDED}. */
const REJECTED: ReadonlySet<unknown> = new Set(["expired", "not_yet_valid", "invalid_signature"]);
/** Failures of this service to validate a chain, which clients may accept. */
const UNDECIDED: ReadonlySet<unknown> = new Set([
  "issuer_missing",
  "limit",
  "unsupported_algorithm",
  "critical_extension",
]);
const TIMES: ReadonlySet<unknown> = new Set(["expired", "not_yet_valid"]);

/** Returns whether a failure is only that the certificate itself is not valid at this time. */
function isOwnTime({ position, code }: ChainView["failures"][number]): boolean {
  return position === 1 && TIMES.has(code);
}

/** Returns whether the only failure of a chain is a date of the certificate itself. */
export function isOwnTimeOnly({ status, failures }: ChainView): boolean {
  return TIMES.has(status) && failures.every(isOwnTime);
}

/** Returns whether a chain will be valid as soon as the certificate itself is. */
export function awaitsStart(chain: ChainView | undefined): boolean {
  return chain?.status === "not_yet_valid" && isOwnTimeOnly(chain);
}

/** Returns whether a chain without failures ends before its root. */
export function lacksRoot({ status, complete }: ChainView): boolean {
  return status === "valid" && !complete;
}

/**
 * Returns why clients reject the chain of a certificate; undefined if they accept it, if it was never validated, or if
 * the dates of the certificate itself say it already.
 */
export function rejectionOf({ certificate, chain, now }: CertificateFacts): ChainFault | undefined {
  if (chain === undefined || certificate.chain_status === null || certificate.is_expired) return undefined;
  return REJECTED.has(chain.status) ? faultOf(chain, now) : undefined;
}

/** Returns the first failure of a chain, except the dates of the certificate itself; undefined without one. */
export function faultOf({ failures, certificates }: ChainView, now: Millis): ChainFault | undefined {
  const failure = failures.find((one) => !isOwnTime(one) && !UNDECIDED.has(one.code));
  if (failure === undefined) return undefined;
  const entry = certificates[failure.position - 1];
  return {
    certificate: failure.position === 1 ? null : entry?.common_name ?? null,
    fault: failure.code,
    message: failure.sentence,
    days: entry === undefined ? 0 : daysUntil(Date.parse(entry.valid_to), now),
  };
}
