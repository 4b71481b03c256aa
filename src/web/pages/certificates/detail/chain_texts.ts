/** Faults of chains in words. */

import { expiryText } from "../../../../base/amounts.ts";
import {
  type CertificateFacts,
  type ChainFault,
  faultOf,
  isAuthority,
  isOwnTimeOnly,
  lacksRoot,
} from "../../../../domain/advice/mod.ts";
import { isCurrent } from "../../../../domain/certificates/mod.ts";
import { namedMessage } from "../../../../x509/mod.ts";
import { isolate, truncate } from "../../../kit/components/mod.ts";
import { withDays } from "../../../messages.ts";

/** Maximum characters of a name in a sentence. */
const NAME_CHARS = 120;

/** Returns a fault in words: "Example CA 2016 expired 18 days ago". */
export function faultText({ certificate, fault, message, days }: ChainFault): string {
  const text = fault === "expired" && days < 0 ? expiryText(days) : withDays(message);
  return `${certificate === null ? "this certificate" : nameOf(certificate)} ${text}`;
}

/** Returns a message with days, and with the names of certificates; the first one is that of the page. */
export function messageWithNames(message: string, certificates: readonly { common_name: string }[]): string {
  return namedMessage(withDays(message), certificates.map(({ common_name }) => nameOf(common_name)));
}

/** Returns a name, shortened, that cannot change the order of the text around it. */
export function nameOf(name: string): string {
  return isolate(truncate(name, NAME_CHARS));
}

/** Returns a sentence about the chain; empty if others say it. */
export function chainSentence({ certificate, chain, now }: CertificateFacts): string {
  // Its chain does not make a revoked certificate valid.
  if (certificate.status === "revoked") return "";
  if (chain === undefined) return "No PEM, so its chain cannot be validated";
  if (certificate.chain_status === null) return "Chain not validated yet";
  // No other certificate has signed this one.
  if (chain.status === "self_signed") {
    return isAuthority(certificate)
      ? "Self-signed, as a root is: clients that trust it accept what it has issued"
      : "Self-signed: no authority has issued it, so only clients that trust this certificate accept it";
  }
  const fault = chain.status === "expired" && isCurrent(certificate) ? faultOf(chain, now) : undefined;
  if (fault !== undefined) return faultText(fault);
  if (lacksRoot(chain)) return "Chain valid, but its root is missing";
  const isUnknown = chain.status === "valid" && chain.anchor === "bundle";
  if (isUnknown) return "Chain valid, but its root is neither public nor tracked";
  // Another sentence has a date of the certificate itself.
  return isOwnTimeOnly(chain) ? "" : CHAIN_TEXTS[chain.status] ?? "Chain not validated";
}

const CHAIN_TEXTS: Readonly<Record<string, string>> = {
  valid: "Chain valid",
  no_chain: "Issuer certificates missing",
  incomplete: "Chain incomplete",
  invalid_signature: "Chain invalid",
  expired: "A certificate of the chain has expired",
  not_yet_valid: "A certificate of the chain is not yet valid",
  parse_error: "Chain unreadable",
};
