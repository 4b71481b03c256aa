/** What to do next about an endpoint, in words. */

import { type EndpointAdvice, endpointAdvice, type EndpointFacts } from "../../../domain/advice/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, Form, type Html } from "../../kit/components/mod.ts";
import { objectPath } from "../../paths.ts";

/** The next step in a few words, and the page on which the user takes it or reads more. */
export interface BriefStep {
  readonly text: string;
  readonly path: string;
}

interface Step {
  readonly brief: BriefStep;
  /** The step in a sentence, for the page of the endpoint. */
  readonly full: () => Content;
}

/** Returns the next step in a few words, for lists; undefined if there is nothing to do. */
export function briefStep(facts: EndpointFacts): BriefStep | undefined {
  const [advice] = endpointAdvice(facts);
  return advice === undefined ? undefined : stepFor(advice, facts).brief;
}

/** Renders the next step; nothing if there is nothing to do. */
export function NextStep({ call, facts }: { call: Call; facts: EndpointFacts }): Html | null {
  const [advice] = endpointAdvice(facts);
  if (advice === undefined) return null;
  return (
    <>
      <p class="next">
        <strong>Next:</strong> {stepFor(advice, facts).full()}
      </p>
      <ExpectServed call={call} facts={facts} />
    </>
  );
}

function stepFor({ code, params, action }: EndpointAdvice, facts: EndpointFacts): Step {
  const { endpoint, served, may } = facts;
  const own = objectPath(endpoints, endpoint.id);
  const ofServed = served === undefined ? undefined : objectPath(certificates, served.id);
  const ofAction = action === null || action.id === null
    ? undefined
    : objectPath({ objectType: action.object_type }, action.id);
  const edit = (text: string): Content => linked(text, may.change ? `${own}edit/` : undefined);
  const step = (text: string, full: () => Content, path = own): Step => ({ brief: { text, path }, full });
  switch (code) {
    case "unreachable":
      return step(
        "Check the server",
        () => <>start the server, or {edit("correct or disable this endpoint")}.</>,
      );
    case "tls_error":
      return step(
        "Check its TLS settings",
        () => <>check the TLS configuration of the server, or {edit("correct the protocol")}.</>,
      );
    case "name_mismatch":
      return step("Serve a matching one", () => (
        <>
          serve a certificate for <bdi>{params.name}</bdi>, or {edit("correct the server name")}.
        </>
      ));
    case "not_yet_valid":
      return step(
        "Serve a valid one",
        () => "serve a certificate that is valid already, or check the clock of the service.",
      );
    case "self_signed_authority": {
      const given = new URLSearchParams({ name: params.name, type: "internal" });
      const track = may.addAuthority
        ? <a href={`/authorities/new/?${given}`}>track it as an authority</a>
        : "have it tracked as an authority";
      return step("Replace it with a trusted one", () => <>{replacement(facts)}, or {track}.</>);
    }
    case "unknown_root":
      return step("Replace it, or track its authority", () => (
        <>
          {replacement(facts)}, or track the authority in which{" "}
          {ofServed === undefined ? "its chain" : linked("its chain", `${ofServed}#chain`)} ends.
        </>
      ));
    case "untrusted":
      return step("Replace it with a trusted one", () => <>{replacement(facts)}.</>);
    case "unknown_issuer":
      return step("Complete its chain, or track its root", () => (
        <>
          if it is your root, {may.addAuthority
            ? <a href="/authorities/new/?type=internal">add it under Authorities</a>
            : "have it added under Authorities"}. Otherwise {withIssuers(ofServed)}
        </>
      ));
    case "incomplete_chain":
      return step(
        "Serve with its issuers",
        () => withIssuers(ofServed),
        ofServed === undefined ? own : `${ofServed}#chain`,
      );
    case "unknown_certificate":
      return step("Add the certificate", () => (
        <>
          {may.import
            ? (
              <>
                <a href="/certificates/add/">add the certificate</a> if it belongs there,
              </>
            )
            : "have the certificate added if it belongs there,"} or serve the expected certificate.
        </>
      ));
    case "unexpected_certificate":
      return step(
        "Check whether it belongs here",
        () => "check whether it belongs there, or serve the expected certificate.",
      );
    case "wrong_certificate":
      return step("Serve the right one", () => (
        <>
          {linked("serve the expected certificate", ofAction)}
          {served === undefined || !may.change ? "." : ", or expect this one."}
        </>
      ), ofAction);
    case "superseded":
      return step(
        "Serve the successor",
        () => <>serve {linked("the certificate that replaced this one", ofAction)}.</>,
        ofAction,
      );
    case "successor_not_served":
      return step(
        "Serve the successor",
        () => <>serve {linked("its successor", ofAction)}, which exists already.</>,
        ofAction,
      );
    case "renewal_due":
      return step(
        "Renew",
        () =>
          ofServed === undefined
            ? "serve a renewed certificate."
            : may.renew
            ? <>{linked("renew the certificate", `${ofServed}renew/`)}, then serve it here.</>
            : <>have {linked("the certificate", ofServed)} renewed, then serve it here.</>,
        ofServed === undefined || !may.renew ? ofServed : `${ofServed}renew/`,
      );
  }
}

function linked(text: string, path: string | undefined): Content {
  return path === undefined ? text : <a href={path}>{text}</a>;
}

/** Renders the replacement of a served certificate, which is a renewal unless it has a successor. */
function replacement({ served, may }: EndpointFacts): Content {
  const path = served?.status === "active" && served.replaced_by === null && may.renew
    ? `${objectPath(certificates, served.id)}renew/`
    : undefined;
  return <>{linked("replace the certificate", path)} with one of a tracked authority</>;
}

function withIssuers(ofServed: string | undefined): Content {
  return (
    <>
      serve the certificate together with those of its issuers{ofServed === undefined
        ? "."
        : <>: {linked("see its chain", `${ofServed}#chain`)}.</>}
    </>
  );
}

/** Renders the button that expects the certificate that an endpoint serves in place of another one. */
function ExpectServed({ call, facts }: { call: Call; facts: EndpointFacts }): Html | null {
  const { endpoint: { id, state, expected_certificate: expected }, served, may } = facts;
  if (state !== "wrong_certificate" || expected === null || served === undefined || !may.change) return null;
  return (
    <div class="buttons">
      <Form call={call} action={`${objectPath(endpoints, id)}expect/`} class="inline">
        <input type="hidden" name="certificate" value={String(served.id)} />
        <button type="submit" class="secondary">Expect this certificate</button>
      </Form>
    </div>
  );
}
