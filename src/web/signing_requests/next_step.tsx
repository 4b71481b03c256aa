/** What to do next with a signing request, with the buttons for it. */

import { isGranted } from "../../auth/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { signingRequests } from "../../domain/signing_requests/mod.ts";
import { etagOfObject } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { type Content, Form, type Html, toneOf } from "../components/mod.ts";
import { type ApiObject, may, ObjectLink, type PermittedActions } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { lastRejection } from "./rejection_notes.ts";

/** Renders the state of a request in words, and the next step that the user may take. */
export function nextStep(call: Call, request: ApiObject, { change }: PermittedActions): Html | null {
  const { status, suggested_certificate: suggested } = request;
  const isOpen = status === "pending" || status === "approved";
  const text = isOpen && suggested !== null ? suggestedText(suggested) : textFor(call, request, change);
  if (text === null) return null;
  return (
    <div class={`summary ${toneOf(String(status))}`}>
      <p class="next">{text}</p>
      {change ? buttonsFor(call, request) : null}
    </div>
  );
}

function suggestedText(certificate: unknown): Content {
  return (
    <>
      <strong>Next:</strong> check whether <ObjectLink brief={certificate} />{" "}
      was issued for this request. It has the same public key.
    </>
  );
}

/** Returns whether the user may add an issued certificate. */
export function mayAddCertificates(call: Call): boolean {
  return may(call, certificates, "add") || isGranted(call.ctx, "import", certificates.objectType);
}

function textFor(
  call: Call,
  { status, target_ca: authority, resulting_certificate: issued, notes }: ApiObject,
  mayChange: boolean,
): Content {
  const next = <strong>Next:</strong>;
  switch (status) {
    case "pending":
      return mayChange
        ? <>{next} approve this request, or reject it.</>
        : <>Waits for approval by someone who may change signing requests.</>;
    case "approved":
      return (
        <>
          {next} send the request to{" "}
          {authority === "" ? "the authority" : <bdi>{String(authority)}</bdi>}, then{" "}
          {mayAddCertificates(call)
            ? <a href="/certificates/add/">add the issued certificate</a>
            : "have the issued certificate added"}.
        </>
      );
    case "issued":
      return issued === null && !mayChange
        ? <>Waits for someone who may change signing requests to choose the issued certificate.</>
        : issued === null
        ? <>{next} choose the certificate that was issued for this request.</>
        : (
          <>
            <strong>Issued:</strong> <ObjectLink brief={issued} />.
          </>
        );
    case "rejected":
      return <Rejected notes={String(notes)} />;
    default:
      return null;
  }
}

function Rejected({ notes }: { notes: string }): Html {
  const found = lastRejection(notes);
  return (
    <>
      <strong>Rejected:</strong> no certificate is issued for this request.
      {found === undefined ? null : (
        <>
          {" "}Reason: <bdi class="lines">{found.reason}</bdi>{" "}
          <span class="faint">
            (<bdi>{found.user}</bdi>, {found.day})
          </span>
        </>
      )}
    </>
  );
}

/** Renders the buttons; the first one is the expected action. */
function buttonsFor(call: Call, request: ApiObject): Html | null {
  const { status, suggested_certificate: suggested, resulting_certificate: issued } = request;
  const path = objectPath(signingRequests, request.id);
  const version = etagOfObject(request) ?? "";
  const statusButton = (value: string, label: string, secondary = false): Html => (
    <Form call={call} action={`${path}status/`} class="inline">
      <input type="hidden" name="version" value={version} />
      <button type="submit" name="status" value={value} class={secondary ? "secondary" : undefined}>
        {label}
      </button>
    </Form>
  );
  const reject = <a role="button" class="secondary" href={`${path}reject/`}>Reject…</a>;
  const isOpen = status === "pending" || status === "approved";
  if (isOpen && suggested !== null) {
    return (
      <div class="buttons">
        <Form call={call} action={`${path}issued/`} class="inline">
          <input type="hidden" name="version" value={version} />
          <input type="hidden" name="certificate" value={String((suggested as ApiObject).id)} />
          <button type="submit">Record it as issued</button>
        </Form>
        {reject}
      </div>
    );
  }
  if (status === "pending") {
    return (
      <div class="buttons">
        {statusButton("approved", "Approve")}
        {reject}
      </div>
    );
  }
  if (status === "approved") return <div class="buttons">{reject}</div>;
  if (status === "rejected") return <div class="buttons">{statusButton("pending", "Open again", true)}</div>;
  if (status === "issued" && issued === null) {
    return (
      <div class="buttons">
        <a role="button" href={`${path}edit/#f-resulting_certificate`}>Choose the certificate</a>
      </div>
    );
  }
  return null;
}
