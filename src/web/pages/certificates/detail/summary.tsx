/** The state of a certificate in words: the most important facts first. */

import { counted } from "../../../../base/amounts.ts";
import type { Content, Html } from "../../../kit/components/mod.ts";
import { ObjectLink, ObjectLinks } from "../../../kit/mod.ts";
import { isCurrent } from "../list_defaults.ts";
import { chainSentence, expiryOf, failuresText, headlineOf } from "./headline.tsx";
import { isRevokedInUse, type Known } from "./known.ts";
import { DeploymentText, isPartlyDeployed, isReplacedInUse, Trouble } from "./served_by.tsx";

/** Renders a sentence for each important fact: expiry, usage, problems of endpoints, owner, chain, policies, renewal. */
export function Summary({ known, children }: { known: Known; children?: Content }): Html {
  const { certificate, assignments, checks, predecessors, served } = known;
  const headline = headlineOf(known);
  const { topic } = headline;
  const current = isCurrent(certificate);
  const isInUse = current || isRevokedInUse(known) || isReplacedInUse(known);
  const failures = failuresText(known);
  const owner = certificate.owner?.contact;
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
    checks === undefined || checks.length === 0 || !current || topic === "checks" ||
      (failures === undefined && topic === "start")
      ? ""
      : failures ?? `Passes ${checks.length === 1 ? "its policy" : `all ${checks.length} policies`}`,
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

/**
 * Renders where the certificate is used, as far as the user may view this: the first object, and endpoints. `found`:
 * undefined if this says nothing about endpoints.
 */
function Usage(
  { assignments, found }: { assignments: Known["assignments"]; found: Content | undefined },
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
          Assigned to {ObjectLink({ brief: first })}
          {others === 0 ? "" : ` and ${counted(others, "other object")}`}
        </>
      )}
      {isFound ? <>. {found}</> : ""}
    </>
  );
}
