/** A chain in sentences that name its certificates. */

import { expiryText } from "../../../../base/amounts.ts";
import {
  type CertificateFacts,
  type ChainFault,
  faultOf,
  isAuthority,
  isOwnTimeOnly,
  lacksRoot,
} from "../../../../domain/advice/mod.ts";
import type { ChainView } from "../../../../domain/certificates/chain/mod.ts";
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

function nameOf(name: string): string {
  return isolate(truncate(name, NAME_CHARS));
}

/** Returns a sentence about the chain; empty if others say it. */
export function chainSentence({ certificate, chain, now }: CertificateFacts): string {
  // Its chain does not make a revoked certificate valid.
  if (certificate.status === "revoked") return "";
  if (chain === undefined) return "No PEM, so its chain cannot be validated";
  if (certificate.chain_status === null) return "Chain not validated yet";
  if (chain.status === "self_signed") return selfSignedText(isAuthority(certificate));
  const fault = chain.status === "expired" && isCurrent(certificate) ? faultOf(chain, now) : undefined;
  return fault === undefined ? chainText(chain) : faultText(fault);
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

/** Returns what it means that no other certificate has signed this one. */
function selfSignedText(isRoot: boolean): string {
  return isRoot
    ? "Self-signed, as a root is: clients that trust it accept what it has issued"
    : "Self-signed: no authority has issued it, so only clients that trust this certificate accept it";
}

/** Returns the result; none if its only failure is a date of the certificate, which another sentence has. */
function chainText(chain: ChainView): string {
  if (lacksRoot(chain)) return "Chain valid, but its root is missing";
  return isOwnTimeOnly(chain) ? "" : CHAIN_TEXTS[chain.status] ?? "Chain not validated";
}
