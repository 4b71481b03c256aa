/** The state of endpoints in lists: a word, the next step, and the reason. */

import {
  type EndpointAdvice,
  endpointAdvice,
  type EndpointFacts,
  endpointRights,
} from "../../../domain/advice/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { type Endpoint, endpoints, severityOf } from "../../../domain/endpoints/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Content, Expiry, type Html } from "../../kit/components/mod.ts";
import { certificatesById, PostButton } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

/** The filter for endpoints that need attention: all states that are worse than `ok`. */
export const NEEDS_ATTENTION = { severity__lt: String(severityOf("ok")) };

/** Fields that {@link StateCell} and {@link briefStep} read. */
export const STATE_FIELDS = [
  "state",
  "state_message",
  "state_reason",
  "certificate",
  "expected_certificate",
] as const;

/** Fields of served certificates that the columns and {@link briefStep} read. */
const SERVED_FIELDS = [
  "id",
  "display",
  "common_name",
  "valid_to",
  "days_remaining",
  "expiry_status",
  "status",
  "replaced_by",
] as const;

/** States whose reason is another column: the expiry, or the name of the certificate. */
const EXPLAINED: ReadonlySet<unknown> = new Set(["expired", "expiring", "superseded"]);

/** An endpoint with what lists show about it. */
export type ListedEndpoint<Row = Pick<Endpoint, "id" | (typeof STATE_FIELDS)[number]>> = Row & {
  /** The served certificate; undefined if the user may not view it, or the inventory does not have it. */
  readonly served?: Pick<Certificate, (typeof SERVED_FIELDS)[number]>;
  readonly step?: BriefStep;
};

/** Adds the served certificates and the next steps. One statement. */
export async function withServed<Row extends ListedEndpoint>(
  call: Call,
  rows: readonly Row[],
): Promise<readonly ListedEndpoint<Row>[]> {
  const ids = rows.flatMap(({ certificate }) => certificate?.id ?? []);
  const byId = await certificatesById(call, ids, SERVED_FIELDS);
  const may = endpointRights(call.ctx, false);
  return rows.map((row) => {
    const served = byId.get(row.certificate?.id);
    const step = briefStep({ endpoint: row, served, isAuthority: false, may });
    return { ...row, ...(served === undefined ? {} : { served }), ...(step === undefined ? {} : { step }) };
  });
}

/** A date, in which a line must not break. */
const DAY = /(\d{4}-\d\d-\d\d)/;

/** Renders the state of an endpoint, what to do about it, and why unless another column says it. */
export function StateCell({ endpoint }: { endpoint: ListedEndpoint }): Html {
  const { state, state_message: reason, step } = endpoint;
  const badge = <Badge value={state} />;
  if (step === undefined) {
    return (
      <span title={reason}>
        {badge}
      </span>
    );
  }
  return (
    <div class="explained" title={reason}>
      {badge}
      <a href={step.path} class="step">{step.text}</a>
      {EXPLAINED.has(state) ? null : (
        <span class="sentence">
          {reason.split(DAY).map((part) => DAY.test(part) ? <span class="whole">{part}</span> : part)}
        </span>
      )}
    </div>
  );
}

/** The column with the expiry of the served certificate. */
export const EXPIRES = {
  name: "expires",
  label: "Expires",
  cell: ({ served }: ListedEndpoint): Content => served === undefined ? "" : Expiry({ row: served }),
  layout: ["p2", "folds", "expiry-share"],
} as const;

/** The next step in a few words, and the page on which the user takes it or reads more. */
interface BriefStep {
  readonly text: string;
  readonly path: string;
}

interface Step extends BriefStep {
  /** The step in a sentence, for the page of the endpoint. */
  readonly full: () => Content;
}

/** Returns the next step in a few words, for lists; undefined if there is nothing to do. */
function briefStep(facts: EndpointFacts): BriefStep | undefined {
  const [advice] = endpointAdvice(facts);
  return advice === undefined ? undefined : stepFor(advice, facts);
}

/** Renders the next step; nothing if there is nothing to do. */
export function NextStep({ call, facts }: { call: Call; facts: EndpointFacts }): Html | null {
  const [advice] = endpointAdvice(facts);
  if (advice === undefined) return null;
  const button = buttonFor(call, advice, facts);
  return (
    <>
      <p class="next">
        <strong>Next:</strong> {stepFor(advice, facts).full()}
      </p>
      {button === undefined ? null : (
        <div class="buttons">
          <PostButton call={call} {...button} class="secondary" />
        </div>
      )}
    </>
  );
}

/** Returns the button with which the user says that the served certificate is right. */
function buttonFor(
  { ctx }: Call,
  { code }: EndpointAdvice,
  { endpoint, served, may }: EndpointFacts,
): { action: string; label: string; hidden?: Record<string, number> } | undefined {
  if (served === undefined) return undefined;
  if (code === "wrong_certificate" && may.change) {
    const action = `${objectPath(endpoints, endpoint.id)}expect/`;
    return { action, label: "Expect this certificate", hidden: { certificate: served.id } };
  }
  const isOffered = code === "unexpected_certificate" && served.status === "pending";
  return isOffered && isGranted(ctx, "change", certificates.objectType)
    ? { action: `${objectPath(certificates, served.id)}accept/`, label: "Accept its certificate" }
    : undefined;
}

function stepFor({ code, params, action }: EndpointAdvice, facts: EndpointFacts): Step {
  const { endpoint, served, may } = facts;
  const own = objectPath(endpoints, endpoint.id);
  const ofServed = served === undefined ? undefined : objectPath(certificates, served.id);
  const ofAction = action === null || action.id === null
    ? undefined
    : objectPath({ objectType: action.object_type }, action.id);
  const edit = (text: string): Content => linked(text, may.change ? `${own}edit/` : undefined);
  const step = (text: string, full: () => Content, path = own): Step => ({ text, path, full });
  switch (code) {
    case "unreachable":
      if (endpoint.state_reason === "not_allowed") {
        return step(
          "Allow or correct its address",
          () => <>let an administrator allow its network, or {edit("correct or disable this endpoint")}.</>,
        );
      }
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
    case "revoked":
      return step(
        "Replace it at once",
        () => <>{linked("replace the certificate", ofAction)}: its authority or a user has revoked it.</>,
        ofAction,
      );
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
          {replacement(facts)}, or{" "}
          {may.addAuthority ? <a href="/authorities/new/">track the authority</a> : "track the authority"}
          {" "}
          in which {ofServed === undefined ? "its chain" : linked("its chain", `${ofServed}#chain`)} ends.
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
