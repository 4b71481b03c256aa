/** The state of a certificate in words: the most important facts first. */

import { counted } from "../../../base/amounts.ts";
import type { ChainView } from "../../../domain/certificates/chain/mod.ts";
import type { Content, Html } from "../../components/mod.ts";
import { type ApiObject, ObjectLink, ObjectLinks } from "../../objects/mod.ts";
import { isCurrent } from "../list_defaults.ts";
import { lacksRoot } from "./chain.tsx";
import { awaitsStart, faultOf } from "./chain_faults.ts";
import { expiryOf, headlineOf } from "./headline.tsx";
import { failedChecks, isAuthority, isRevokedInUse, type Known } from "./known.ts";
import { DeploymentText, isPartlyDeployed, isReplacedInUse, Trouble } from "./served_by.tsx";

/** Renders a sentence for each important fact: expiry, usage, problems of endpoints, owner, chain, policies, renewal. */
export function Summary({ known, children }: { known: Known; children?: Content }): Html {
  const { certificate, assignments, checks, predecessors, served } = known;
  const headline = headlineOf(known);
  const { topic } = headline;
  const current = isCurrent(certificate);
  const isInUse = current || isRevokedInUse(known) || isReplacedInUse(known);
  const failed = failedChecks(known).length;
  const owner = (certificate.owner as { readonly contact: unknown } | null)?.contact ?? undefined;
  const sentences: readonly Content[] = [
    topic === "expiry" || !current ? "" : expiryOf(known),
    // The first sentence has the endpoints of the others.
    (topic === "endpoints" && served !== undefined && isPartlyDeployed(served)) || isReplacedInUse(known)
      ? Usage({ assignments, found: undefined })
      // Without the right to view endpoints, nothing is said about them.
      : Usage({ assignments, found: served === undefined ? undefined : DeploymentText({ served }) }),
    served === undefined || !current || (topic === "endpoints" && !isPartlyDeployed(served))
      ? ""
      : Trouble({ served }),
    owner === undefined || !isInUse ? "" : <>Owned by {ObjectLink({ brief: owner })}</>,
    topic === "chain" ? "" : chainSentence(known),
    // Checks of a certificate that is not in use need no attention.
    checks === undefined || checks.length === 0 || !current || (failed === 0 && topic === "start")
      ? ""
      : failed === 0
      ? `Passes ${checks.length === 1 ? "its policy" : `all ${checks.length} policies`}`
      : `Fails ${failed} of ${checks.length} ${checks.length === 1 ? "policy" : "policies"}`,
    certificate.acme_auto_renewal === true && current ? "Renews automatically" : "",
  ];
  return (
    <div class={`summary ${headline.tone}`}>
      <p>
        <strong>{headline.text}</strong>
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

/** Returns a sentence about the chain; empty if others say it. */
function chainSentence({ certificate, chain, now }: Known): Content {
  // Its chain does not make a revoked certificate valid.
  if (certificate.status === "revoked") return "";
  if (chain === undefined) return "No PEM, so its chain cannot be validated";
  if (certificate.chain_status === null) return "Chain not validated yet";
  if (chain.status === "self_signed") return selfSignedText(isAuthority(certificate, chain));
  const fault = chain.status === "expired" && isCurrent(certificate) ? faultOf(chain, now) : undefined;
  return fault ?? chainText(chain);
}

/**
 * Renders where the certificate is used, as far as the user may view this: the first object, and endpoints. `found`:
 * undefined if this says nothing about endpoints.
 */
function Usage(
  { assignments, found }: { assignments: readonly ApiObject[] | undefined; found: Content | undefined },
): Content {
  const isFound = found !== undefined && found !== "";
  if (assignments === undefined) return found ?? "";
  if (assignments.length === 0) {
    return isFound
      ? <>{found}, not assigned to any object</>
      : `Not assigned to any object${found === undefined ? "" : ", and found at no endpoint"}`;
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
      {isFound ? <>. {found}</> : ""}
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
