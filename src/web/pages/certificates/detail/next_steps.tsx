/** The next steps for a certificate. */

import type { Certificate } from "../../../../domain/certificates/mod.ts";
import { counted } from "../../../../base/amounts.ts";
import { DAY_MS, formatDatetime } from "../../../../base/clock.ts";
import { assignments as assignmentResource } from "../../../../domain/assignments/mod.ts";
import { authorities } from "../../../../domain/authorities/mod.ts";
import { contactAssignments } from "../../../../domain/contact_assignments/mod.ts";
import { type Endpoint, endpoints } from "../../../../domain/endpoints/mod.ts";
import { signingRequests } from "../../../../domain/signing_requests/mod.ts";
import type { Call } from "../../../call.ts";
import { type Content, Day, type Html, isolate, Joined } from "../../../kit/components/mod.ts";
import { may, shortName } from "../../../kit/mod.ts";
import { objectPath } from "../../../paths.ts";
import { isCurrent } from "../list_defaults.ts";
import { rejectionOf } from "./chain_faults.ts";
import { failedChecks, isAuthority, isBeforeStart, isRevokedInUse, type Known } from "./known.ts";
import { isReplacedInUse, troubled } from "./served_by.tsx";

/** Number of steps on the page. */
const SHOWN = 3;
/** Days after the start of the validity in which a successor that no endpoint serves is probably not deployed yet. */
const DEPLOYMENT_DAYS = 14;

/** The button of a renewal. */
const RENEW = "Renew";

interface Step {
  readonly text: Content;
  /** Path of the action; undefined if others do it, or if it is done elsewhere. */
  readonly path?: string | undefined;
  /** The text of the button that leads to the path; {@link RENEW} for the renewal of the certificate itself. */
  readonly label?: string;
  /** Whether there is nothing to do, which is of interest only without other steps. */
  readonly isIdle?: boolean;
}

/** Renders the next step and the following ones. */
export function NextSteps({ call, known }: { call: Call; known: Known }): Html | null {
  const [next, ...others] = stepsFor(call, known).slice(0, SHOWN);
  if (next === undefined) return null;
  if (isReplacedInUse(known)) {
    return (
      <p class="buttons">
        <a role="button" href={next.path}>{next.text}</a>
      </p>
    );
  }
  return (
    <p class="next">
      <strong>Next:</strong> <StepLink step={next} />. {others.length === 0 ? null : (
        <span class="faint">
          Then: <Joined items={others.map((step) => StepLink({ step }))} />.
        </span>
      )}
    </p>
  );
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
export function mainAction(call: Call, known: Known, renewal: string | undefined): MainAction | undefined {
  if (isReplacedInUse(known)) return undefined;
  const [first] = stepsFor(call, known);
  if (first === undefined) {
    return renewal === undefined || isAuthority(known.certificate)
      ? undefined
      : { path: renewal, label: RENEW };
  }
  const { path, label } = first;
  return path === undefined || path.startsWith("#") || first.isIdle === true
    ? undefined
    : { path, label: label ?? RENEW };
}

function StepLink({ step: { text, path } }: { step: Step }): Html {
  return path === undefined ? <span>{text}</span> : <a href={path}>{text}</a>;
}

/** Returns the steps, the most urgent first. Those that the user may not do are left out, except renewals. */
function stepsFor(call: Call, known: Known): Step[] {
  const { certificate, served } = known;
  if (isRevokedInUse(known)) return revokedSteps(known);
  if (isReplacedInUse(known)) return replacedSteps(certificate, served?.here ?? []);
  if (!isCurrent(certificate) || certificate.replaced_by !== null) return [];
  const isPending = isBeforeStart(known);
  const renewal = isPending ? [] : renewalStep(known);
  const isDue = certificate.expiry_status !== "ok" || rejectionOf(known) !== undefined ||
    isUntrusted(known);
  // The certificate of a CA is not served, and seldom renewed by those who list it.
  const isCa = isAuthority(certificate);
  const steps = [
    ...(isDue ? renewal : []),
    ...successionSteps(known),
    ...(isCa ? [] : deploymentSteps(call, known)),
    ...endpointSteps(known),
    ...qualitySteps(known),
    ...placeSteps(call, known),
    ...checkSteps(known),
    ...(isDue || isCa ? [] : renewal),
  ];
  const active = steps.filter(({ isIdle }) => isIdle !== true);
  return active.length === 0 ? steps : active;
}

/** Returns the steps for a certificate that clients may reject already. */
function revokedSteps({ certificate: { id }, served, mayRenew }: Known): Step[] {
  const count = served?.here.length ?? 0;
  const where = count === 0 ? "" : `, and serve the new one at ${counted(count, "endpoint")}`;
  return mayRenew
    ? [{ text: `Replace it now${where}`, path: `/certificates/${id}/renew/`, label: "Replace now" }]
    : [{ text: `Have it replaced now${where}` }];
}

/** Returns the step for a replaced certificate that endpoints still serve. */
function replacedSteps({ id }: Certificate, [only, ...others]: readonly Pick<Endpoint, "id">[]): Step[] {
  const path = only !== undefined && others.length === 0
    ? objectPath(endpoints, only.id)
    : `/endpoints/?certificate_id=${id}`;
  return [{ text: `Replace it at ${counted(others.length + 1, "endpoint")}`, path }];
}

function renewalStep(known: Known): Step[] {
  const { certificate, request, mayRenew } = known;
  const { id, expiry_status: expiry, valid_to, acme_auto_renewal: isAutomatic } = certificate;
  const path = mayRenew ? `/certificates/${id}/renew/` : undefined;
  const day = <Day at={valid_to} />;
  if (request !== undefined) {
    return [{
      text: (
        <>
          Renewal open since <Day at={request.created} />: see the signing request
        </>
      ),
      path: objectPath(signingRequests, request.id),
      label: "View the signing request",
    }];
  }
  if (expiry !== "expired" && rejectionOf(known) !== undefined) {
    return [{ text: `${mayRenew ? "Renew it" : "Have it renewed"}: clients reject its chain`, path }];
  }
  if (expiry !== "expired" && isUntrusted(known)) {
    const text = `${mayRenew ? "Replace it" : "Have it replaced"} with one of a tracked authority`;
    return [{ text, path, label: "Replace" }];
  }
  if (isAutomatic === true && expiry === "critical") {
    return [{ text: <>Check the ACME client, which should have renewed it before {day}</>, path }];
  }
  if (isAutomatic === true && expiry !== "expired") {
    return [{ text: <>Nothing: it is renewed automatically before {day}</>, isIdle: true }];
  }
  if (!mayRenew) {
    return [{
      text: expiry === "expired"
        ? <>Have it renewed: it expired on {day}</>
        : <>Have it renewed before {day}</>,
    }];
  }
  return [{
    text: expiry === "expired" ? <>Renew it: it expired on {day}</> : <>Renew before {day}</>,
    path,
  }];
}

/** Returns the step for a certificate that was added next to the one that it renews. */
function successionSteps(known: Known): Step[] {
  const path = successionPath(known);
  const { renewable } = known;
  if (renewable === undefined || path === undefined) return [];
  const day = <Day at={formatDatetime(renewable.valid_to)} />;
  return [{
    text: isBeforeStart(known)
      ? <>Replace the certificate with the same names that expires on {day} by this one</>
      : <>Renew the certificate with the same names that expires on {day}</>,
    path,
    label: `Replace the ${isBeforeStart(known) ? "current" : "other"} certificate`,
  }];
}

/** Returns the path of the renewal of the certificate that a new one probably renews; undefined without one. */
function successionPath({ renewable, predecessors }: Known): string | undefined {
  if (renewable === undefined || !renewable.permitted || predecessors.length > 0) return undefined;
  return `/certificates/${renewable.id}/renew/`;
}

/** Returns the steps for deploying a successor where the replaced certificate was used. */
function deploymentSteps(call: Call, { certificate, served, predecessors, assignments }: Known): Step[] {
  if (predecessors.length === 0) return [];
  const behind = served?.behind.length ?? 0;
  if (behind > 0) {
    const text = `Serve it at ${counted(behind, "endpoint")} that still ${
      behind === 1 ? "serves" : "serve"
    } the replaced certificate`;
    return [{ text, path: "#served" }];
  }
  const age = call.ctx.clock.now() - Date.parse(certificate.valid_from);
  const isNew = age < DEPLOYMENT_DAYS * DAY_MS;
  const places = assignments?.length ?? 0;
  if (!isNew || places === 0 || (served?.here.length ?? 0) > 0) return [];
  const [only] = places === 1 ? assignments ?? [] : [];
  const name = only?.assigned_object?.display;
  return [{
    text: name === undefined
      ? `Serve it: not yet seen at the ${counted(places, "object")} that it is assigned to`
      : <>Serve it: not yet seen at {isolate(shortName(name))}</>,
    path: "#assignments",
  }];
}

/** Returns whether an endpoint serves a certificate that no tracked authority has issued, so that it is replaced. */
function isUntrusted(known: Known): boolean {
  return !isBeforeStart(known) && known.served?.here.some(({ state }) => state === "untrusted") === true;
}

/** Returns the step for endpoints that have a problem, whose pages say what to do. */
function endpointSteps(known: Known): Step[] {
  const { served } = known;
  const isReplaced = isUntrusted(known);
  const rows = (served === undefined ? [] : troubled(served)).filter(({ state }) =>
    !isReplaced || state !== "untrusted"
  );
  const [first] = rows;
  if (first === undefined) return [];
  return rows.length === 1
    ? [{
      text: <>Fix {isolate(shortName(first.display))}</>,
      path: objectPath(endpoints, first.id),
      label: "Fix the endpoint",
    }]
    : [{ text: `Fix ${counted(rows.length, "endpoint")}`, path: "#served" }];
}

/** Returns the steps about chain and compliance. */
function qualitySteps(known: Known): Step[] {
  const { certificate, chain, mayChange } = known;
  const { id } = certificate;
  const steps: Step[] = [];
  if (
    mayChange && chain !== undefined && certificate.chain_status !== null &&
    ["no_chain", "incomplete"].includes(chain.status)
  ) {
    steps.push({
      text: "Add the certificates of its issuers",
      path: `/certificates/${id}/edit/#f-issuer_chain`,
      label: "Add issuers",
    });
  }
  const failed = failedChecks(known).length;
  if (failed > 0) {
    steps.push({ text: `Fix ${counted(failed, "failed check")}`, path: "#checks" });
  }
  return steps;
}

/** Returns the steps for a new certificate, which has no results yet. */
function checkSteps({ certificate, chain, checks, hasPolicies, mayChange }: Known): Step[] {
  const isUnvalidated = chain !== undefined && certificate.chain_status === null && mayChange;
  return [
    ...(isUnvalidated ? [{ text: "Validate its chain", path: "#chain" }] : []),
    ...(checks?.length === 0 && hasPolicies ? [{ text: "Check its compliance", path: "#checks" }] : []),
  ];
}

/** Returns the steps about the owner and the objects to which it is assigned. */
function placeSteps(call: Call, { certificate, assignments, served, chain }: Known): Step[] {
  const { id, owner } = certificate;
  const steps: Step[] = [];
  if (owner === null && may(call, contactAssignments, "add")) {
    steps.push({
      text: "Assign an owner",
      path: `/contact-assignments/new/?object_type=certmgr.certificate&object_id=${id}`,
      label: "Assign an owner",
    });
  }
  if (isAuthority(certificate)) {
    const isTracked = chain?.anchor === "tracked_ca" && chain.certificates.length === 1;
    if (!isTracked && may(call, authorities, "add")) {
      const given = new URLSearchParams({ name: certificate.common_name, type: "internal" });
      const text = "Track it as an authority";
      steps.unshift({ text, path: `/authorities/new/?${given}`, label: text });
    }
  } else if (assignments?.length === 0 && may(call, assignmentResource, "add")) {
    const isServed = (served?.here.length ?? 0) > 0;
    steps.push({
      text: isServed ? "Assign it to the objects that serve it" : "Assign it to the objects that use it",
      path: `/assignments/new/?certificate=${id}`,
      label: "Assign to an object",
    });
  }
  return steps;
}
