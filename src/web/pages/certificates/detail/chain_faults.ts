/** What is wrong with a chain, in sentences that name its certificates. */

import type { Certificate } from "../../../../domain/certificates/mod.ts";
import { expiryText } from "../../../../base/amounts.ts";
import { daysUntil, type Millis } from "../../../../base/clock.ts";
import type { ChainView } from "../../../../domain/certificates/chain/mod.ts";
import { namedMessage } from "../../../../x509/mod.ts";
import { isolate, truncate } from "../../../kit/components/mod.ts";
import { withDays } from "../../../messages.ts";

/** Maximum characters of a name in a sentence. */
const NAME_CHARS = 120;
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

type Named = Pick<ChainView["certificates"][number], "common_name">;
type Failure = ChainView["failures"][number];

/** Returns whether a failure is only that the certificate itself is not valid at this time. */
function isOwnTime({ position, code }: Failure): boolean {
  return position === 1 && TIMES.has(code);
}

/** Returns whether a chain will be valid as soon as the certificate itself is. */
export function awaitsStart(chain: ChainView | undefined): boolean {
  return chain?.status === "not_yet_valid" && chain.failures.every(isOwnTime);
}

/**
 * Returns why clients reject the chain of a certificate: "Example CA 2016 expired 18 days ago". Undefined if they
 * accept it, if it was never validated, or if the dates of the certificate itself say it already.
 */
export function rejectionOf({ certificate, chain, now }: {
  readonly certificate: Certificate;
  readonly chain: ChainView | undefined;
  readonly now: Millis;
}): string | undefined {
  if (chain === undefined || certificate.chain_status === null || certificate.is_expired === true) {
    return undefined;
  }
  return REJECTED.has(chain.status) ? faultOf(chain, now) : undefined;
}

/** Returns the first failure of a chain, except the dates of the certificate itself; undefined without one. */
export function faultOf({ failures, certificates }: ChainView, now: Millis): string | undefined {
  const failure = failures.find((one) => !isOwnTime(one) && !UNDECIDED.has(one.code));
  if (failure === undefined) return undefined;
  const { position, code, sentence } = failure;
  const entry = certificates[position - 1];
  const days = entry === undefined ? 0 : daysUntil(Date.parse(entry.valid_to), now);
  const text = code === "expired" && days < 0 ? expiryText(days) : withDays(sentence);
  return `${position === 1 || entry === undefined ? "this certificate" : nameOf(entry)} ${text}`;
}

/** Returns a message with days, and with the names of certificates; the first one is that of the page. */
export function messageWithNames(message: string, certificates: readonly Named[]): string {
  return namedMessage(withDays(message), certificates.map(nameOf));
}

function nameOf({ common_name: name }: Named): string {
  return isolate(truncate(name, NAME_CHARS));
}
