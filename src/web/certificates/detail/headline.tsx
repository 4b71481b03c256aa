/** The first sentence about a certificate: the first of the facts, in the order of their urgency. */

import { counted } from "../../../base/amounts.ts";
import { daysUntil } from "../../../base/clock.ts";
import { type Content, Day, daysText, expiryText } from "../../components/mod.ts";
import { isCurrent } from "../list_defaults.ts";
import { lacksRoot } from "./chain.tsx";
import { rejectionOf } from "./chain_faults.ts";
import { failedChecks, isBeforeStart, isRevokedInUse, type Known } from "./known.ts";
import { DeploymentText, hasServingFault, isPartlyDeployed, isReplacedInUse, Trouble } from "./served_by.tsx";

export type Tone = "bad" | "warn" | "good" | "plain";

/** The first sentence, and what it is about. */
export interface Headline {
  readonly topic: "status" | "chain" | "start" | "expiry" | "endpoints";
  readonly text: Content;
  readonly tone: Tone;
}

type Rule = (known: Known) => Headline | undefined;

/** The facts in their order. What clients see now comes before what they will see. */
const RULES: readonly Rule[] = [revoked, replaced, rejected, notStarted, expired, badlyServed];

/** Returns the first sentence. */
export function headlineOf(known: Known): Headline {
  for (const rule of RULES) {
    const found = rule(known);
    if (found !== undefined) return found;
  }
  return { topic: "expiry", text: `${expiryOf(known)}.`, tone: expiryTone(known) };
}

function revoked(known: Known): Headline | undefined {
  const { certificate, revokedAt, now } = known;
  if (certificate.status !== "revoked" || isReplacedInUse(known)) return undefined;
  const since = revokedAt === undefined ? "" : ` ${daysText(daysUntil(Date.parse(revokedAt), now))}`;
  return isRevokedInUse(known)
    ? { topic: "status", text: `Revoked${since} and still installed.`, tone: "bad" }
    : { topic: "status", text: `Revoked${since}.`, tone: "plain" };
}

function replaced(known: Known): Headline | undefined {
  const { certificate: row, served } = known;
  if (!isReplacedInUse(known)) {
    return isCurrent(row) ? undefined : { topic: "status", text: "Replaced.", tone: "plain" };
  }
  const count = served?.here.length ?? 0;
  const left = Number(row.days_remaining);
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
  const start = String(certificate.valid_from);
  return {
    topic: "start",
    text: (
      <>
        {certificate.status === "pending" ? "Pending: valid from" : "Not yet valid: starts"}{" "}
        <Day at={start} />, {daysText(daysUntil(Date.parse(start), now))}.
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
  const { served } = known;
  if (served === undefined || !hasServingFault(served)) return undefined;
  const tone = expiryTone(known);
  return {
    topic: "endpoints",
    text: <>{isPartlyDeployed(served) ? DeploymentText({ served }) : Trouble({ served })}.</>,
    tone: tone === "good" || tone === "plain" ? "warn" : tone,
  };
}

/** Returns when a certificate expires or has expired, without a full stop. */
export function expiryOf({ certificate: row }: Known): string {
  const days = Number(row.days_remaining);
  if (row.is_expired === true && days === 0) return "Expired today";
  return expiryText(days).replace(/^e/, "E");
}

function expiryTone(known: Known): Tone {
  const { certificate, chain } = known;
  const { expiry_status: expiry } = certificate;
  if (expiry !== "ok") return expiry === "warning" ? "warn" : "bad";
  if (chain !== undefined && certificate.chain_status === null) return "plain";
  const isFaulty = failedChecks(known).length > 0 ||
    (chain !== undefined && (chain.status !== "valid" || lacksRoot(chain)));
  return isFaulty ? "warn" : "good";
}
