/** What to do next about an endpoint, by its state. */

import { isGranted } from "../../../auth/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import {
  type Endpoint,
  endpoints,
  SELF_SIGNED,
  UNKNOWN_ISSUER,
  UNKNOWN_ROOT,
} from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, type Html } from "../../kit/components/mod.ts";
import type { PermittedActions } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

/** What a step reads. */
interface Known {
  readonly call: Call;
  readonly endpoint: Endpoint;
  /** The served certificate; undefined if the user may not view it, or the inventory does not have it. */
  readonly served: Pick<Certificate, "id" | "common_name" | "status" | "replaced_by"> | undefined;
  /** Whether the served certificate may issue others. */
  readonly isCa: boolean;
  readonly permitted: PermittedActions;
}

/** Renders the next step; nothing if there is nothing to do. */
export function NextStep(known: Known): Html | null {
  const step = stepFor(known);
  if (step === null) return null;
  return (
    <>
      <p class="next">
        <strong>Next:</strong> {step}
      </p>
      <ExpectServed {...known} />
    </>
  );
}

function stepFor(known: Known): Content | null {
  const { call, endpoint, served, permitted } = known;
  const { server_name: name, host, expected_certificate: expected } = endpoint;
  const path = objectPath(endpoints, endpoint.id);
  const edit = (text: string): Content => permitted.change ? <a href={`${path}edit/`}>{text}</a> : text;
  switch (endpoint.state) {
    case "unreachable":
      return <>start the server, or {edit("correct or disable this endpoint")}.</>;
    case "tls_error":
      return <>check the TLS configuration of the server, or {edit("correct the protocol")}.</>;
    case "name_mismatch":
      return (
        <>
          serve a certificate for <bdi>{String(name || host)}</bdi>, or {edit("correct the server name")}.
        </>
      );
    case "untrusted":
      return <>{replacement(known)} with one of a tracked authority{trackStep(known)}.</>;
    case "incomplete_chain":
      return (
        <>
          {endsBelowUnknown(endpoint) ? <>{addRoot(call)} Otherwise{" "}</> : null}
          serve the certificate together with those of its issuers{served === undefined ? "." : (
            <>
              : <a href={`${objectPath(certificates, served.id)}#chain`}>see its chain</a>.
            </>
          )}
        </>
      );
    case "wrong_certificate":
      return expected === null ? <>{addLink(call, served)} or serve the expected certificate.</> : (
        <>
          <a href={objectPath(certificates, expected.id)}>serve the expected certificate</a>
          {served === undefined || !permitted.change ? "." : ", or expect this one."}
        </>
      );
    case "superseded": {
      const successor = served?.replaced_by;
      return successor === undefined || successor === null
        ? <>serve the certificate that replaced this one.</>
        : (
          <>
            serve <a href={objectPath(certificates, successor.id)}>the certificate that replaced this one</a>.
          </>
        );
    }
    case "expired":
    case "expiring":
      return renewal(call, served);
    case "not_yet_valid":
      return <>serve a certificate that is valid already, or check the clock of the service.</>;
    default:
      return null;
  }
}

/** The next step in a few words, and the page on which the user takes it or reads more. */
export interface BriefStep {
  readonly text: string;
  readonly path: string;
}

/** Returns the next step in a few words, for lists; undefined if there is nothing to do. */
export function briefStep(
  call: Call,
  { endpoint, served }: {
    endpoint: Pick<Endpoint, "id" | "state" | "state_message" | "expected_certificate">;
    served: Pick<Certificate, "id" | "replaced_by"> | undefined;
  },
): BriefStep | undefined {
  const own = objectPath(endpoints, endpoint.id);
  const ofServed = (part: string): string =>
    served === undefined ? own : `${objectPath(certificates, served.id)}${part}`;
  const expected = endpoint.expected_certificate;
  const successor = served?.replaced_by;
  const toSuccessor = successor === undefined || successor === null
    ? undefined
    : { text: "Serve the successor", path: objectPath(certificates, successor.id) };
  switch (endpoint.state) {
    case "unreachable":
      return { text: "Check the server", path: own };
    case "tls_error":
      return { text: "Check its TLS settings", path: own };
    case "not_yet_valid":
      return { text: "Serve a valid one", path: own };
    case "name_mismatch":
      return { text: "Serve a matching one", path: own };
    case "untrusted":
      return endpoint.state_message.startsWith(UNKNOWN_ROOT)
        ? { text: "Replace it, or track its authority", path: own }
        : { text: "Replace it with a trusted one", path: own };
    case "incomplete_chain":
      return endsBelowUnknown(endpoint)
        ? { text: "Complete its chain, or track its root", path: own }
        : { text: "Serve with its issuers", path: ofServed("#chain") };
    case "wrong_certificate":
      return expected === null
        ? { text: served === undefined ? "Add the certificate" : "Check whether it belongs here", path: own }
        : { text: "Serve the right one", path: objectPath(certificates, expected.id) };
    case "superseded":
      return toSuccessor ?? { text: "Serve the successor", path: own };
    case "expired":
    case "expiring":
      return toSuccessor ?? {
        text: "Renew",
        path: served !== undefined && isGranted(call.ctx, "renew", certificates.objectType)
          ? ofServed("renew/")
          : ofServed(""),
      };
    default:
      return undefined;
  }
}

/** Returns whether an endpoint is untrusted because it serves a self-signed certificate. */
export function servesSelfSigned({ state, state_message: message }: Endpoint): boolean {
  return state === "untrusted" && message.startsWith(SELF_SIGNED);
}

/** Returns whether the chain of an endpoint ends below an issuer that may be an untracked root. */
function endsBelowUnknown({ state_message: message }: Pick<Endpoint, "state_message">): boolean {
  return message.startsWith(UNKNOWN_ISSUER);
}

/** Renders the step for a root that is not tracked yet: servers do not send their root. */
function addRoot({ ctx }: Call): Content {
  return isGranted(ctx, "add", authorities.objectType)
    ? (
      <>
        if it is your root, <a href="/authorities/new/?type=internal">add it under Authorities</a>.
      </>
    )
    : "if it is your root, have it added under Authorities.";
}

/** Renders the other way to make a chain trusted, if there is one: to track the authority in which it ends. */
function trackStep({ call, endpoint, served, isCa }: Known): Content {
  if (isCa && servesSelfSigned(endpoint)) {
    const given = new URLSearchParams({ name: served?.common_name ?? "", type: "internal" });
    return isGranted(call.ctx, "add", authorities.objectType)
      ? (
        <>
          , or <a href={`/authorities/new/?${given}`}>track it as an authority</a>
        </>
      )
      : ", or have it tracked as an authority";
  }
  if (!endpoint.state_message.startsWith(UNKNOWN_ROOT)) return null;
  return served === undefined ? ", or track the authority in which its chain ends" : (
    <>
      , or track the authority in which <a href={`${objectPath(certificates, served.id)}#chain`}>its chain</a>
      {" "}
      ends
    </>
  );
}

/** Renders the step for a served certificate that the inventory may not have. */
function addLink(call: Call, served: Known["served"]): Content {
  if (served !== undefined) return "check whether it belongs there,";
  return isGranted(call.ctx, "import", certificates.objectType)
    ? (
      <>
        <a href="/certificates/add/">add the certificate</a> if it belongs there,
      </>
    )
    : "have the certificate added if it belongs there,";
}

/** Renders the replacement of a served certificate, which is a renewal unless it has a successor. */
function replacement({ call, served }: Known): Content {
  const text = "replace the certificate";
  return served !== undefined && served.replaced_by === null && served.status === "active" &&
      isGranted(call.ctx, "renew", certificates.objectType)
    ? <a href={`${objectPath(certificates, served.id)}renew/`}>{text}</a>
    : text;
}

function renewal(call: Call, served: Known["served"]): Content {
  if (served === undefined) return "serve a renewed certificate.";
  const successor = served.replaced_by;
  if (successor !== null) {
    return (
      <>
        serve <a href={objectPath(certificates, successor.id)}>its successor</a>, which exists already.
      </>
    );
  }
  const path = objectPath(certificates, served.id);
  return isGranted(call.ctx, "renew", certificates.objectType)
    ? (
      <>
        <a href={`${path}renew/`}>renew the certificate</a>, then serve it here.
      </>
    )
    : (
      <>
        have <a href={path}>the certificate</a> renewed, then serve it here.
      </>
    );
}

/** Renders the button that expects the certificate that an endpoint serves in place of another one. */
function ExpectServed({ call, endpoint, served, permitted }: Known): Html | null {
  const { state, expected_certificate: expected } = endpoint;
  if (state !== "wrong_certificate" || expected === null || served === undefined || !permitted.change) {
    return null;
  }
  return (
    <div class="buttons">
      <Form call={call} action={`${objectPath(endpoints, endpoint.id)}expect/`} class="inline">
        <input type="hidden" name="certificate" value={String(served.id)} />
        <button type="submit" class="secondary">Expect this certificate</button>
      </Form>
    </div>
  );
}
