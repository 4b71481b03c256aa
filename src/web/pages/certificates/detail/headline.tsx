/** The first sentence about a certificate: the first of the facts, in the order of their urgency. */

import { counted, expiryText, whenText } from "../../../../base/amounts.ts";
import type { ChainView } from "../../../../domain/certificates/chain/mod.ts";
import { type Content, Day, toneOf } from "../../../kit/components/mod.ts";
import { capitalized } from "../../../messages.ts";
import { isCurrent } from "../list_defaults.ts";
import { lacksRoot } from "./chain.tsx";
import { awaitsStart, faultOf, rejectionOf } from "./chain_faults.ts";
import { failedChecks, isAuthority, isBeforeStart, isRevokedInUse, type Known } from "./known.ts";
import {
  DeploymentText,
  hasServingFault,
  isPartlyDeployed,
  isReplacedInUse,
  Trouble,
  troubled,
} from "./served_by.tsx";

export type Tone = "bad" | "warn" | "good" | "plain";

/** The first sentence, and what it is about. */
export interface Headline {
  readonly topic: "status" | "chain" | "start" | "expiry" | "endpoints" | "checks";
  readonly text: Content;
  readonly tone: Tone;
}

type Rule = (known: Known) => Headline | undefined;

/** The facts in their order. What clients see now comes before what they will see, and that before other faults. */
const RULES: readonly Rule[] = [
  revoked,
  replaced,
  rejected,
  notStarted,
  expired,
  badlyServed,
  expiring,
  faultyChain,
  failing,
];

/** Returns the first sentence. */
export function headlineOf(known: Known): Headline {
  for (const rule of RULES) {
    const found = rule(known);
    if (found !== undefined) return found;
  }
  const isUnvalidated = known.chain !== undefined && known.certificate.chain_status === null;
  return { topic: "expiry", text: `${expiryOf(known)}.`, tone: isUnvalidated ? "plain" : "good" };
}

function revoked(known: Known): Headline | undefined {
  const { certificate, revokedAt, served, now } = known;
  if (certificate.status !== "revoked" || isReplacedInUse(known)) return undefined;
  const since = revokedAt === undefined ? "" : ` ${whenText(revokedAt, now)}`;
  return isRevokedInUse(known)
    ? {
      topic: "status",
      text: `Revoked${since} and still ${served?.here.length ? "served" : "assigned"}.`,
      tone: "bad",
    }
    : { topic: "status", text: `Revoked${since}.`, tone: "plain" };
}

function replaced(known: Known): Headline | undefined {
  const { certificate: row, served } = known;
  if (!isReplacedInUse(known)) {
    return isCurrent(row) ? undefined : { topic: "status", text: "Replaced.", tone: "plain" };
  }
  const count = served?.here.length ?? 0;
  const left = row.days_remaining;
  const expiry = row.is_expired === true && left === 0 ? "expired today" : expiryText(left);
  return {
    topic: "status",
    text: `${row.status === "revoked" ? "Revoked and replaced" : "Replaced"}, but ${
      counted(count, "endpoint still serves", "endpoints still serve")
    } it; it ${expiry}.`,
    tone: row.is_expired === true || row.status === "revoked" ? "bad" : "warn",
  };
}

function rejected(known: Known): Headline | undefined {
  const reason = rejectionOf(known);
  return reason === undefined
    ? undefined
    : { topic: "chain", text: `Clients reject it: ${reason}.`, tone: "bad" };
}

function notStarted(known: Known): Headline | undefined {
  const { certificate, served, now } = known;
  if (!isBeforeStart(known)) return undefined;
  const start = certificate.valid_from;
  return {
    topic: "start",
    text: (
      <>
        {certificate.status === "pending" ? "Pending: valid from" : "Not yet valid: starts"}{" "}
        <Day at={start} />, {whenText(start, now)}.
      </>
    ),
    tone: hasServingFault(served) ? "warn" : "plain",
  };
}

function expired(known: Known): Headline | undefined {
  const { is_expired: isExpired, replaced_by: successor, days_remaining: days } = known.certificate;
  if (isExpired !== true) return undefined;
  const rest = days === 0 || successor !== null ? "" : ", without a successor";
  return { topic: "expiry", text: `${expiryOf(known)}${rest}.`, tone: "bad" };
}

function badlyServed(known: Known): Headline | undefined {
  const { certificate, served } = known;
  if (served === undefined || !hasServingFault(served)) return undefined;
  const isBad = certificate.expiry_status === "critical" ||
    [...troubled(served), ...served.behind].some(({ state }) => toneOf(state) === "bad");
  return {
    topic: "endpoints",
    text: <>{isPartlyDeployed(served) ? DeploymentText({ served }) : Trouble({ served })}.</>,
    tone: isBad ? "bad" : "warn",
  };
}

function expiring(known: Known): Headline | undefined {
  const { expiry_status: expiry } = known.certificate;
  if (expiry === "ok") return undefined;
  return { topic: "expiry", text: `${expiryOf(known)}.`, tone: expiry === "warning" ? "warn" : "bad" };
}

function faultyChain(known: Known): Headline | undefined {
  const { certificate, chain } = known;
  if (chain === undefined || certificate.chain_status === null) return undefined;
  const isFaulty = chain.status === "self_signed"
    ? !isAuthority(certificate)
    : chain.status !== "valid" || lacksRoot(chain);
  return isFaulty ? { topic: "chain", text: <>{chainSentence(known)}.</>, tone: "warn" } : undefined;
}

function failing(known: Known): Headline | undefined {
  const text = failuresText(known);
  return text === undefined ? undefined : { topic: "checks", text: `${text}.`, tone: "warn" };
}

/** Returns how many policies a certificate fails; undefined if it fails none. */
export function failuresText(known: Known): string | undefined {
  const failed = failedChecks(known).length;
  const count = known.checks?.length ?? 0;
  return failed === 0 ? undefined : `Fails ${failed} of ${count} ${count === 1 ? "policy" : "policies"}`;
}

/** Returns when a certificate expires or has expired, without a full stop. */
export function expiryOf({ certificate: row }: Known): string {
  const days = row.days_remaining;
  if (row.is_expired === true && days === 0) return "Expired today";
  return capitalized(expiryText(days));
}

/** Returns a sentence about the chain; empty if others say it. */
export function chainSentence({ certificate, chain, now }: Known): Content {
  // Its chain does not make a revoked certificate valid.
  if (certificate.status === "revoked") return "";
  if (chain === undefined) return "No PEM, so its chain cannot be validated";
  if (certificate.chain_status === null) return "Chain not validated yet";
  if (chain.status === "self_signed") return selfSignedText(isAuthority(certificate));
  const fault = chain.status === "expired" && isCurrent(certificate) ? faultOf(chain, now) : undefined;
  return fault ?? chainText(chain);
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
  const { status, failures } = chain;
  if (lacksRoot(chain)) return "Chain valid, but its root is missing";
  if (status === "expired" && failures.every(({ position, code }) => position === 1 && code === "expired")) {
    return "";
  }
  if (awaitsStart(chain)) return "";
  return CHAIN_TEXTS[status] ?? "Chain not validated";
}
