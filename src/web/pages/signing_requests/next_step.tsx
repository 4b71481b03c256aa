/** What to do next with a signing request, with the buttons for it. */

import { mayAddCertificates, type RequestAdvice, requestAdvice } from "../../../domain/advice/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { type SigningRequest, signingRequests } from "../../../domain/signing_requests/mod.ts";
import { etagOfObject } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import {
  BreakableName,
  type Content,
  type Html,
  Section,
  toneOf,
  truncate,
} from "../../kit/components/mod.ts";
import { mayActOn, ObjectLink, type PermittedActions, PostButton } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { keyText, SuccessorForm } from "../certificates/mod.ts";
import { ADD } from "../imports/mod.ts";

/** Statuses in which a certificate can still be issued. */
const OPEN: readonly unknown[] = ["pending", "approved"];

/**
 * Renders the state of a request in words, and the next step that the user may take; for an open one also what it asks for.
 * At most one statement.
 */
export async function nextStep(
  call: Call,
  request: SigningRequest,
  { change }: PermittedActions,
): Promise<Html | null> {
  const { status } = request;
  const advice = requestAdvice(call.ctx, request, change);
  if (advice === undefined) return null;
  const isOpen = OPEN.includes(status);
  return (
    <>
      <div class={`summary ${toneOf(status)}`}>
        {isOpen ? <Requested request={request} /> : null}
        <p class="next">{textFor(advice, request)}</p>
        <Buttons call={call} request={request} code={advice.code} mayChange={change} />
      </div>
      {isOpen && advice.code !== "confirm_certificate" ? await issuedForm(call, request) : null}
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
  { target_ca: authority, suggested_certificate, resulting_certificate }: SigningRequest,
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
      return (
        <>
          <strong>Rejected:</strong> no certificate is issued for this request.
        </>
      );
  }
}

/**
 * Renders the place for the certificate that was issued for a renewal, whose confirmation renews and records it; nothing for
 * users who may not renew. At most one statement.
 */
async function issuedForm(call: Call, { renews }: SigningRequest): Promise<Html | null> {
  if (renews === null || !await mayActOn(call, certificates, { action: "renew", id: renews.id })) return null;
  return (
    <Section id="issued" title="Issued certificate">
      <SuccessorForm call={call} id={renews.id} location="" errors={{}} />
    </Section>
  );
}

/** Renders the buttons; the first one is the expected action. */
function Buttons(
  { call, request, code, mayChange }: {
    call: Call;
    request: SigningRequest;
    code: RequestAdvice["code"];
    mayChange: boolean;
  },
): Html | null {
  const { id, status, renews, suggested_certificate: suggested } = request;
  const path = objectPath(signingRequests, id);
  const hidden = { version: etagOfObject(request) ?? "" };
  const post = (to: string, label: string, values: Readonly<Record<string, string | number>>): Html => (
    <PostButton
      call={call}
      action={`${path}${to}/`}
      hidden={{ ...hidden, ...values }}
      label={label}
      class={code === "rejected" || values.status === "rejected" ? "secondary" : undefined}
    />
  );
  const expected: Partial<Record<RequestAdvice["code"], () => Html>> = {
    confirm_certificate: () =>
      renews === null
        ? post("issued", "Record it as issued", { certificate: suggested?.id ?? "" })
        : (
          <PostButton
            call={call}
            action={`${objectPath(certificates, renews.id)}renew/`}
            hidden={{ certificate: suggested?.id ?? "" }}
            label="Compare and renew"
          />
        ),
    decide: () => post("status", "Approve", { status: "approved" }),
    rejected: () => post("status", "Open again", { status: "pending" }),
    choose_certificate: () => (
      <a role="button" href={`${path}edit/#f-resulting_certificate`}>Choose the certificate</a>
    ),
  };
  const buttons = [
    ...(mayChange ? [expected[code]?.()] : []),
    // The expected action until a certificate was found.
    ...(status === "approved" && renews === null && mayAddCertificates(call.ctx)
      ? [
        <a role="button" class={suggested === null ? undefined : "secondary"} href={ADD}>
          Add the issued certificate
        </a>,
      ]
      : []),
    ...(mayChange && OPEN.includes(status) ? [post("status", "Reject", { status: "rejected" })] : []),
  ].filter((one) => one !== undefined);
  return buttons.length === 0 ? null : <div class="buttons">{buttons}</div>;
}
