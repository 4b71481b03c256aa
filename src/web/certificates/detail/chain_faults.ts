/** What is wrong with a chain, in sentences that name its certificates. */

import { daysUntil, type Millis } from "../../../base/clock.ts";
import type { ChainView } from "../../../domain/certificates/chain/mod.ts";
import { expiryText, isolate, truncate } from "../../components/mod.ts";
import { withDays } from "../../messages.ts";
import type { ApiObject } from "../../objects/mod.ts";

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
export function rejectionOf(
  { certificate, chain }: { readonly certificate: ApiObject; readonly chain: ChainView | undefined },
  now: Millis,
): string | undefined {
  if (chain === undefined || certificate.chain_status === null || certificate.is_expired === true) {
    return undefined;
  }
  if (!REJECTED.has(chain.status)) return undefined;
  const failure = chain.failures.find((one) => !isOwnTime(one) && !UNDECIDED.has(one.code));
  if (failure === undefined) return undefined;
  const { position, code, sentence } = failure;
  const entry = chain.certificates[position - 1];
  const days = entry === undefined ? 0 : daysUntil(Date.parse(entry.valid_to), now);
  const text = code === "expired" && days < 0 ? expiryText(days) : withDays(sentence);
  return `${nameAt(position, chain.certificates)} ${text}`;
}

/** Replaces the numbers of certificates in a message by their names; the first one is that of the page. */
export function namedMessage(message: string, certificates: readonly Named[]): string {
  return withDays(message).replace(/\bCertificate (\d+)\b/g, (found, position: string, at: number) => {
    const name = nameAt(Number(position), certificates);
    return name === "" ? found : at === 0 ? name.replace(/^this/, "This") : name;
  });
}

/** Returns the name of a certificate of a chain; empty without any. */
function nameAt(position: number, certificates: readonly Named[]): string {
  if (position === 1) return "this certificate";
  return isolate(truncate(certificates[position - 1]?.common_name ?? "", NAME_CHARS));
}
