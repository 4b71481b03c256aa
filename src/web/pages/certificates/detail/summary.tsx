/** The state of a certificate in words: the most important facts first, and what to do next. */

import { counted } from "../../../../base/amounts.ts";
import {
  type CertificateAdvice,
  type CertificateFacts,
  deploymentOf,
  isAuthority,
  isReplacedInUse,
  isRevokedInUse,
} from "../../../../domain/advice/mod.ts";
import { BY_HAND, isCurrent } from "../../../../domain/certificates/mod.ts";
import { type Content, type Html, Joined } from "../../../kit/components/mod.ts";
import { ObjectLink, ObjectLinks } from "../../../kit/mod.ts";
import { expirySentence, type Step, textsOf } from "./advice_texts.tsx";
import { chainSentence } from "./chain_texts.ts";
import { DeploymentText, Trouble } from "./served_by.tsx";

/** Number of steps on the page. */
const SHOWN = 3;
const TONES = { critical: "bad", warning: "warn", info: "plain", ok: "good" } as const;

interface Advised {
  readonly facts: CertificateFacts;
  readonly advice: readonly CertificateAdvice[];
}

/** Renders a sentence for each important fact: expiry, usage, problems of endpoints, owner, chain, policies, renewal. */
export function Summary({ facts, advice }: Advised): Html {
  const { certificate, assignments, checks, predecessors, served } = facts;
  const states = advice.map((one) => ({ ...one, ...textsOf(one, facts) }));
  const headline = states.find(({ state }) => state !== undefined);
  const topic = headline?.topic;
  const current = isCurrent(certificate);
  const isInUse = current || isRevokedInUse(facts) || isReplacedInUse(facts);
  const failures = states.find(({ code }) => code === "checks_failed")?.state;
  const isPartial = served !== undefined && deploymentOf(served).isPartial;
  const owner = certificate.owner?.contact;
  const sentences: readonly Content[] = [
    topic === "expiry" || !current ? "" : expirySentence(facts),
    // The first sentence has the endpoints of the others.
    (topic === "endpoints" && isPartial) || isReplacedInUse(facts)
      ? Usage({ assignments, found: undefined })
      // Without the right to view endpoints, nothing is said about them.
      : Usage({ assignments, found: served === undefined ? undefined : DeploymentText({ served }) }),
    served === undefined || !current || (topic === "endpoints" && !isPartial) ? "" : Trouble({ served }),
    owner === undefined || !isInUse ? "" : <>Owned by {ObjectLink({ brief: owner })}</>,
    topic === "chain" ? "" : chainSentence(facts),
    // Checks of a certificate that is not in use need no attention.
    checks === undefined || checks.length === 0 || !current || topic === "checks" ||
      (failures === undefined && topic === "start")
      ? ""
      : failures ?? `Passes ${checks.length === 1 ? "its policy" : `all ${checks.length} policies`}`,
    !BY_HAND.includes(certificate.automation) && current ? "Renews automatically" : "",
  ];
  return (
    <div class={`summary ${TONES[headline?.severity ?? "info"]}`}>
      <p>
        <strong>{headline?.state}.</strong>
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
      <NextSteps facts={facts} advice={advice} />
    </div>
  );
}

/**
 * Renders where the certificate is used, as far as the user may view this: the first object, and endpoints. `found`:
 * undefined if this says nothing about endpoints.
 */
function Usage(
  { assignments, found }: { assignments: CertificateFacts["assignments"]; found: Content | undefined },
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

/** Renders the next step and the following ones. */
function NextSteps({ facts, advice }: Advised): Html | null {
  const [next, ...others] = stepsOf({ facts, advice }).slice(0, SHOWN);
  if (next === undefined) return null;
  if (isReplacedInUse(facts)) {
    return (
      <p class="buttons">
        <a role="button" href={next.path}>{next.text}</a>
      </p>
    );
  }
  const link = ({ text, path }: Step): Html =>
    path === undefined ? <span>{text}</span> : <a href={path}>{text}</a>;
  return (
    <p class="next">
      <strong>Next:</strong> {link(next)}. {others.length === 0 ? null : (
        <span class="faint">
          Then: <Joined items={others.map(link)} />.
        </span>
      )}
    </p>
  );
}

/** Returns the different steps in the order of the advice; that there is nothing to do only without others. */
function stepsOf({ facts, advice }: Advised): readonly Step[] {
  const active = advice.filter(({ action }) => action !== null);
  const meant = active.length > 0 ? active : advice.filter(({ code }) => code === "renews_automatically");
  const steps = new Map<string, Step>();
  for (const one of meant) {
    const key = JSON.stringify(one.action);
    const { step } = textsOf(one, facts);
    if (step !== undefined && !steps.has(key)) steps.set(key, step);
  }
  return [...steps.values()];
}

/** A button of the page. */
export interface MainAction {
  readonly path: string;
  readonly label: string;
}

/**
 * Returns the first step as a button; the renewal, if there is no step. Undefined if others take the step, if it is on
 * the page itself, or if the summary has its button.
 */
export function mainAction({ facts, advice }: Advised, renewal: string | undefined): MainAction | undefined {
  if (isReplacedInUse(facts)) return undefined;
  const [first] = stepsOf({ facts, advice });
  if (first === undefined && isAuthority(facts.certificate)) return undefined;
  const { path, label = "Renew" } = first ?? { path: renewal };
  return path === undefined || path.startsWith("#") ? undefined : { path, label };
}
