/** Advice about a certificate in words: a sentence about its state, and what to do next. */

import { counted, expiryText, whenText } from "../../../../base/amounts.ts";
import {
  type CertificateAdvice,
  type CertificateFacts,
  deploymentOf,
} from "../../../../domain/advice/mod.ts";
import { type Content, Day, isolate, Joined } from "../../../kit/components/mod.ts";
import { issuerName, shortName } from "../../../kit/mod.ts";
import { capitalized } from "../../../messages.ts";
import { objectPath } from "../../../paths.ts";
import { incidentPath } from "../list_defaults.ts";
import { chainSentence, faultText, nameOf } from "./chain_texts.ts";
import { DeploymentText, Trouble } from "./served_by.tsx";
import { incidents } from "../../../../domain/incidents/mod.ts";

/** What to do. */
export interface Step {
  readonly text: Content;
  /** Path of the action; undefined if others do it, or if it is done elsewhere. */
  readonly path?: string | undefined;
  /** The text of the button that leads to the path; default: "Renew". */
  readonly label?: string;
}

interface Texts {
  readonly topic?: "status" | "chain" | "start" | "expiry" | "endpoints" | "checks";
  /** A sentence about the state without its full stop; undefined if there is only something to do. */
  readonly state?: Content;
  readonly step?: Step;
}

/** Returns the words for a conclusion. Its step is only meant if the conclusion has an action. */
export function textsOf(one: CertificateAdvice, facts: CertificateFacts): Texts {
  const { certificate: { id }, served, revokedAt, now } = facts;
  const { code, params, action } = one;
  const may = action?.permitted === true;
  const path = action === null || !may || action.id === null
    ? undefined
    : action.operation === "renew"
    ? `/certificates/${action.id}/renew/`
    : objectPath({ objectType: action.object_type }, action.id);
  switch (code) {
    case "revoked_in_use": {
      const where = params.endpoints === 0
        ? ""
        : `, and serve the new one at ${counted(params.endpoints, "endpoint")}`;
      return {
        topic: "status",
        state: `Revoked${since(revokedAt, now)} and still ${params.endpoints > 0 ? "served" : "assigned"}`,
        step: { text: `${may ? "Replace it" : "Have it replaced"} now${where}`, path, label: "Replace now" },
      };
    }
    case "replaced_in_use": {
      const count = counted(params.endpoints, "endpoint still serves", "endpoints still serve");
      const expiry = expiryText(params.days, params.is_expired);
      return {
        topic: "status",
        state: `${params.is_revoked ? "Revoked and replaced" : "Replaced"}, but ${count} it; it ${expiry}`,
        step: {
          text: `Replace it at ${counted(params.endpoints, "endpoint")}`,
          path: path ?? `/endpoints/?certificate_id=${id}`,
        },
      };
    }
    case "revoked":
    case "replaced":
      return { topic: "status", state: code === "replaced" ? "Replaced" : `Revoked${since(revokedAt, now)}` };
    case "chain_rejected":
      return {
        topic: "chain",
        state: `Clients reject it: ${faultText(params)}`,
        step: { text: `${may ? "Renew it" : "Have it renewed"}: clients reject its chain`, path },
      };
    case "not_yet_valid":
      return {
        topic: "start",
        state: (
          <>
            {params.is_pending ? "Pending: valid from" : "Not yet valid: starts"}{" "}
            <Day at={params.valid_from} />, {whenText(params.valid_from, now)}
          </>
        ),
      };
    case "expired": {
      const rest = params.days === 0 || params.has_successor ? "" : ", without a successor";
      return {
        topic: "expiry",
        state: `${expirySentence(facts)}${rest}`,
        step: {
          text: (
            <>
              {may ? "Renew it" : "Have it renewed"}: it expired on <Day at={params.valid_to} />
            </>
          ),
          path,
        },
      };
    }
    case "renewal_requested": {
      const text = (
        <>
          Renewal open since <Day at={params.created} />: see the signing request
        </>
      );
      return { step: { text, path, label: "View the signing request" } };
    }
    case "renews_another": {
      const day = <Day at={params.valid_to} />;
      return {
        step: {
          text: params.is_pending
            ? <>Replace the certificate with the same names that expires on {day} by this one</>
            : <>Renew the certificate with the same names that expires on {day}</>,
          path,
          label: `Replace the ${params.is_pending ? "current" : "other"} certificate`,
        },
      };
    }
    case "partly_deployed": {
      const text = `Serve it at ${
        counted(params.behind, "endpoint that still serves", "endpoints that still serve")
      } the replaced certificate`;
      return { ...ofEndpoints(served), step: { text, path: "#served" } };
    }
    case "not_accepted":
      return {
        step: { text: "Accept it, or archive it: it was found, and nobody has said that it belongs here" },
      };
    case "known_from_list": {
      const text = "Upload its certificate, or add an endpoint that serves it: it is known from a list only";
      return { step: { text, path: "/certificates/add/", label: "Upload certificate" } };
    }
    case "not_deployed": {
      const { object, objects } = params;
      const text = object === null
        ? `Serve it: not yet seen at the ${counted(objects, "object")} that it is assigned to`
        : <>Serve it: not yet seen at {isolate(shortName(object))}</>;
      return { step: { text, path: "#assignments" } };
    }
    case "untrusted": {
      const text = `${may ? "Replace it" : "Have it replaced"} with one of a tracked authority`;
      return { ...ofEndpoints(served), step: { text, path, label: "Replace" } };
    }
    case "endpoint_problems":
      return {
        ...ofEndpoints(served),
        step: params.endpoints === 1
          ? { text: <>Fix {isolate(shortName(params.endpoint))}</>, path, label: "Fix the endpoint" }
          : { text: `Fix ${counted(params.endpoints, "endpoint")}`, path: "#served" },
      };
    case "in_incident": {
      const what = may ? "Replace it" : "Have it replaced";
      const until = params.deadline === null ? "" : (
        <>
          by <Day at={params.deadline} />
        </>
      );
      const names = [params, ...params.others].map(({ incident, name }) => (
        <a href={objectPath(incidents, incident)}>{nameOf(name)}</a>
      ));
      const of = names.length === 1 ? "the incident" : "the incidents";
      return {
        step: {
          text: (
            <>
              {what} {until} because of {of} <Joined items={names} />
            </>
          ),
          path,
        },
      };
    }
    case "issuer_revokes":
      return {
        step: {
          text: `Open an incident: its authority revoked ${params.revoked} certificates within a day`,
          path: incidentPath(issuerName(params.issuer), { "criteria.issuers": params.issuer }),
          label: "New incident",
        },
      };
    case "renewal_window_passed": {
      const end = <Day at={params.window_end} />;
      const what = params.is_automatic ? "Check the ACME client" : may ? "Renew it" : "Have it renewed";
      return {
        state: "Its renewal window has passed, and it has no successor",
        step: { text: <>{what}: its authority asked for a renewal by {end}</>, path },
      };
    }
    case "expires_soon": {
      const day = <Day at={params.valid_to} />;
      const text = params.is_automatic
        ? <>Check the ACME client, which should have renewed it before {day}</>
        : <>{may ? "Renew" : "Have it renewed"} before {day}</>;
      return { topic: "expiry", state: expirySentence(facts), step: { text, path } };
    }
    case "chain_fault":
      return {
        topic: "chain",
        state: chainSentence(facts),
        step: {
          text: "Add the certificates of its issuers",
          path: `/certificates/${id}/edit/#f-issuer_chain`,
          label: "Add issuers",
        },
      };
    case "checks_failed": {
      const { failed, total } = params;
      return {
        topic: "checks",
        state: `Fails ${failed} of ${counted(total, "policy", "policies")}`,
        step: { text: `Fix ${counted(failed, "failed check")}`, path: "#checks" },
      };
    }
    case "untracked_authority": {
      const given = new URLSearchParams({ name: params.name, type: "internal" });
      const label = "Track it as an authority";
      return { step: { text: label, path: `/authorities/new/?${given}`, label } };
    }
    case "no_owner": {
      const label = "Assign an owner";
      const query = `object_type=certmgr.certificate&object_id=${id}`;
      return { step: { text: label, path: `/contact-assignments/new/?${query}`, label } };
    }
    case "not_assigned":
      return {
        step: {
          text: `Assign it to the objects that ${params.is_served ? "serve" : "use"} it`,
          path: `/assignments/new/?certificate=${id}`,
          label: "Assign to an object",
        },
      };
    case "chain_not_validated":
      return { step: { text: "Validate its chain", path: "#chain" } };
    case "not_checked":
      return { step: { text: "Check its compliance", path: "#checks" } };
    case "expires":
      return {
        topic: "expiry",
        state: expirySentence(facts),
        step: {
          text: (
            <>
              {may ? "Renew" : "Have it renewed"} before <Day at={params.valid_to} />
            </>
          ),
          path,
        },
      };
    case "renews_automatically": {
      const day = <Day at={params.valid_to} />;
      return { step: { text: <>Nothing: it is renewed automatically before {day}</> } };
    }
  }
}

const since = (at: string | undefined, now: number): string =>
  at === undefined ? "" : ` ${whenText(at, now)}`;

function ofEndpoints(served: CertificateFacts["served"]): Texts {
  if (served === undefined) return {};
  return {
    topic: "endpoints",
    state: deploymentOf(served).isPartial ? DeploymentText({ served }) : Trouble({ served }),
  };
}

/** Returns when a certificate expires or has expired, without a full stop. */
export function expirySentence({ certificate: row }: Pick<CertificateFacts, "certificate">): string {
  return capitalized(expiryText(row.days_remaining, row.is_expired));
}
