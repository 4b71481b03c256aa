/** What to do next with a signing request, with the buttons for it. */

import { mayAddCertificates, type RequestAdvice, requestAdvice } from "../../../domain/advice/mod.ts";
import { type SigningRequest, signingRequests } from "../../../domain/signing_requests/mod.ts";
import { etagOfObject } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { keyText } from "../certificates/mod.ts";
import { BreakableName, type Content, Form, type Html, toneOf, truncate } from "../../kit/components/mod.ts";
import { ObjectLink, type PermittedActions } from "../../kit/mod.ts";
import { ADD } from "../imports/mod.ts";
import { objectPath } from "../../paths.ts";
import { notesOf, requestedBy } from "./policy_check.tsx";
import { suggestedCertificate } from "./suggested.tsx";
import { lastRejection } from "./rejection_notes.ts";

/** Statuses in which a certificate can still be issued. */
const OPEN: readonly unknown[] = ["pending", "approved"];

/**
 * Renders the state of a request in words, and the next step that the user may take; for an open one also what is wrong
 * with it, or the certificate that may have been issued. At most two statements.
 */
export async function nextStep(
  call: Call,
  request: SigningRequest,
  { change }: PermittedActions,
): Promise<Html | null> {
  const { status, suggested_certificate: suggested } = request;
  const advice = requestAdvice(call.ctx, request, change);
  if (advice === undefined) return null;
  const isOpen = OPEN.includes(status);
  const isFound = advice.code === "confirm_certificate";
  const notes = isOpen && !isFound ? await notesOf(call, requestedBy(request)) : undefined;
  return (
    <>
      {notes?.warnings}
      <div class={`summary ${toneOf(status)}`}>
        {isOpen ? <Requested request={request} /> : null}
        <p class="next">{textFor(advice, request)}</p>
        {isFound && suggested !== null ? await suggestedCertificate(call, suggested) : null}
        {buttonsFor(call, request, { code: advice.code, mayChange: change })}
        {notes?.policies}
      </div>
    </>
  );
}

/** Renders who requests what: "ines requests www.example.com (ECDSA 256) from Example CA for Acme." */
function Requested({ request }: { request: SigningRequest }): Html {
  const { requested_by: user, common_name: name, algorithm, target_ca: authority, tenant } = request;
  return (
    <p>
      {user === "" ? "Requested: " : <bdi>{user}</bdi>}
      {user === "" ? "" : " requests "}
      <BreakableName text={truncate(name)} />
      {algorithm === "unknown" ? "" : ` (${keyText(request)})`}
      {authority === "" ? "" : " from "}
      <bdi>{authority}</bdi>
      {tenant === null ? "" : " for "}
      {tenant === null ? null : <ObjectLink brief={tenant} />}.
    </p>
  );
}

/** Returns the state or the next step in words. */
function textFor(
  { code, action }: RequestAdvice,
  { target_ca: authority, suggested_certificate, resulting_certificate, notes }: SigningRequest,
): Content {
  const next = <strong>Next:</strong>;
  const may = action?.permitted === true;
  switch (code) {
    case "confirm_certificate":
      return (
        <>
          {next} check whether <ObjectLink brief={suggested_certificate} />{" "}
          was issued for this request. It has the same public key.
        </>
      );
    case "decide":
      return may
        ? <>{next} approve this request, or reject it.</>
        : <>Waits for approval by someone who may change signing requests.</>;
    case "send":
      return (
        <>
          {next} send the request to {authority === "" ? "the authority" : <bdi>{authority}</bdi>}, then{" "}
          {may ? "add the issued certificate" : "have the issued certificate added"}.
        </>
      );
    case "choose_certificate":
      return may
        ? <>{next} choose the certificate that was issued for this request.</>
        : <>Waits for someone who may change signing requests to choose the issued certificate.</>;
    case "issued":
      return (
        <>
          <strong>Issued:</strong> <ObjectLink brief={resulting_certificate} />.
        </>
      );
    case "rejected":
      return <Rejected notes={notes} />;
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
function buttonsFor(
  call: Call,
  request: SigningRequest,
  { code, mayChange }: { code: RequestAdvice["code"]; mayChange: boolean },
): Html | null {
  const buttons = [
    mayChange ? expectedAction(call, request, code) : null,
    request.status === "approved" && mayAddCertificates(call.ctx) ? <AddIssued request={request} /> : null,
    mayChange ? rejectAction(request) : null,
  ].filter((one) => one !== null);
  return buttons.length === 0 ? null : <div class="buttons">{buttons}</div>;
}

/** Renders the form or link that takes the request to its next status. */
function expectedAction(call: Call, request: SigningRequest, code: RequestAdvice["code"]): Html | null {
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
  if (code === "confirm_certificate") {
    return (
      <Form call={call} action={`${path}issued/`} class="inline">
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="certificate" value={String(request.suggested_certificate?.id)} />
        <button type="submit">Record it as issued</button>
      </Form>
    );
  }
  if (code === "decide") return statusButton("approved", "Approve");
  if (code === "rejected") return statusButton("pending", "Open again", true);
  if (code === "choose_certificate") {
    return <a role="button" href={`${path}edit/#f-resulting_certificate`}>Choose the certificate</a>;
  }
  return null;
}

/** Renders the link to the page that adds certificates, which is the expected action until one was found. */
function AddIssued({ request: { suggested_certificate: suggested } }: { request: SigningRequest }): Html {
  return (
    <a role="button" class={suggested === null ? undefined : "secondary"} href={ADD}>
      Add the issued certificate
    </a>
  );
}

/** Renders the link to the form of a rejection: for an approved request in a menu, because it is rare. */
function rejectAction({ id, status }: Pick<SigningRequest, "id" | "status">): Html | null {
  const path = `${objectPath(signingRequests, id)}reject/`;
  if (status === "pending") return <a role="button" class="secondary" href={path}>Reject…</a>;
  if (status !== "approved") return null;
  return (
    <details class="menu">
      <summary role="button" class="secondary">More</summary>
      <div>
        <ul>
          <li>
            <a href={path} class="dangerous">Reject…</a>
          </li>
        </ul>
      </div>
    </details>
  );
}
