/** The state of a certificate in words: the most important facts first. */

import { counted } from "../../../base/amounts.ts";
import type { ChainView } from "../../../domain/certificates/chain/mod.ts";
import { type Content, expiryText, type Html } from "../../components/mod.ts";
import { capitalized } from "../../messages.ts";
import { type ApiObject, ObjectLink, ObjectLinks } from "../../objects/mod.ts";
import { isCurrent } from "../list_defaults.ts";
import { lacksRoot } from "./chain.tsx";
import { isAuthority, isRevokedInUse, type Known } from "./next_steps.tsx";
import { isReplacedInUse, Trouble, troubled } from "./served_by.tsx";

/** Renders a sentence for each important fact: expiry, usage, problems of endpoints, owner, chain, policies, renewal. */
export function Summary({ known, children }: { known: Known; children?: Content }): Html {
  const { certificate, assignments, checks, chain, predecessors, served } = known;
  const expiry = { expired: "bad", critical: "bad", warning: "warn", ok: "good" }[
    String(certificate.expiry_status)
  ];
  const current = isCurrent(certificate);
  const failed = checks?.filter(({ result }) => result === "fail").length ?? 0;
  const isBadlyServed = served !== undefined && troubled(served).length + served.behind.length > 0;
  const isFaulty = failed > 0 || (chain !== undefined && (chain.status !== "valid" || lacksRoot(chain)));
  const isUnknown = chain !== undefined && certificate.chain_status === null;
  const tone = expiry !== "good"
    ? expiry
    : isBadlyServed
    ? "warn"
    : isUnknown
    ? "plain"
    : isFaulty
    ? "warn"
    : expiry;
  const owner = (certificate.owner as { readonly contact: unknown } | null)?.contact ?? undefined;
  const sentences: readonly Content[] = [
    // The first sentence has the number of endpoints.
    isReplacedInUse(known) ? "" : Usage({ assignments, endpoints: served?.here.length ?? 0 }),
    served === undefined || !current ? "" : Trouble({ served }),
    owner === undefined || !current ? "" : <>Owned by {ObjectLink({ brief: owner })}</>,
    // Its chain does not make a revoked certificate valid.
    certificate.status === "revoked"
      ? ""
      : chain === undefined
      ? "No PEM, so its chain cannot be validated"
      : isUnknown
      ? "Chain not validated yet"
      : chain.status === "self_signed"
      ? selfSignedText(isAuthority(certificate, chain))
      : chainText(chain),
    // Checks of a certificate that is not in use need no attention.
    checks === undefined || checks.length === 0 || !current
      ? ""
      : failed === 0
      ? `Passes ${checks.length === 1 ? "its policy" : `all ${checks.length} policies`}`
      : `Fails ${failed} of ${checks.length} ${checks.length === 1 ? "policy" : "policies"}`,
    certificate.acme_auto_renewal === true ? "Renews automatically" : "",
  ];
  return (
    <div class={`summary ${toneInUse(known) ?? (current ? tone : "plain")}`}>
      <p>
        <strong>{stateText(known)}</strong>
        {certificate.replaced_by === null ? null : (
          <>
            {" "}
            Its successor is <ObjectLink brief={certificate.replaced_by} />.
          </>
        )}
        {predecessors.length === 0 ? null : (
          <>
            {" "}
            It replaced <ObjectLinks briefs={predecessors} />.
          </>
        )}
      </p>
      <p>{sentences.filter((one) => one !== "").map((sentence) => <>{sentence}.{" "}</>)}</p>
      {children}
    </div>
  );
}

/** Returns the tone of a certificate that must not be in use any more but is; undefined for others. */
function toneInUse(known: Known): "bad" | "warn" | undefined {
  if (isRevokedInUse(known)) return "bad";
  if (!isReplacedInUse(known)) return undefined;
  const { is_expired: expired, status } = known.certificate;
  return expired === true || status === "revoked" ? "bad" : "warn";
}

function stateText(known: Known): string {
  const { certificate: row, served } = known;
  if (isRevokedInUse(known)) return "Revoked and still installed.";
  if (isReplacedInUse(known)) {
    const count = served?.here.length ?? 0;
    const left = Number(row.days_remaining);
    const isToday = row.is_expired === true && left === 0;
    return `${row.status === "revoked" ? "Revoked and replaced" : "Replaced"}, but ${
      counted(count, "endpoint still serves", "endpoints still serve")
    } it; it ${isToday ? "expired today" : expiryText(left)}.`;
  }
  if (!isCurrent(row)) return row.status === "revoked" ? "Revoked." : "Replaced.";
  const days = Number(row.days_remaining);
  const count = counted(Math.abs(days), "day");
  if (row.is_expired === true) {
    return days === 0
      ? "Expired today."
      : `Expired ${count} ago${row.replaced_by === null ? ", without a successor" : ""}.`;
  }
  return days === 0 ? "Expires today." : `Expires in ${count}.`;
}

/** Renders where the certificate is used, as far as the user may view this: the first object, and numbers. */
function Usage(
  { assignments, endpoints }: { assignments: readonly ApiObject[] | undefined; endpoints: number },
): Content {
  const found = endpoints === 0 ? "" : `found at ${counted(endpoints, "endpoint")}`;
  if (assignments === undefined) return capitalized(found);
  if (assignments.length === 0) {
    return found === ""
      ? "Not assigned to any object, and found at no endpoint"
      : `${capitalized(found)}, not assigned to any object`;
  }
  const seen = assignments.filter(({ assigned_object: object }) => object !== null);
  const first = (seen.find(({ is_primary: main }) => main) ?? seen[0])?.assigned_object;
  const others = assignments.length - 1;
  return (
    <>
      {first === undefined ? `Assigned to ${counted(assignments.length, "object")}` : (
        <>
          Installed on {ObjectLink({ brief: first })}
          {others === 0 ? "" : ` and ${counted(others, "other object")}`}
        </>
      )}
      {found === "" ? "" : `, ${found}`}
    </>
  );
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
    ? "Self-signed, as a root is: clients on which it is installed trust what it has issued"
    : "Self-signed: no authority has issued it, so only clients on which it is installed trust it";
}

/**
 * Returns a sentence about the chain; none if its only failure is the expiry of the certificate, which the first
 * sentence has.
 */
function chainText(chain: ChainView): string {
  const { status, failures } = chain;
  if (lacksRoot(chain)) return "Chain valid, but its root is missing";
  if (status === "expired" && failures.every(({ position, code }) => position === 1 && code === "expired")) {
    return "";
  }
  return CHAIN_TEXTS[status] ?? "Chain not validated";
}
