/** Renewal: choose or paste the successor, compare both, confirm. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden, invalidField } from "../../../base/errors.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { successorPem } from "../../../domain/certificates/renewal/successor_file.ts";
import { renewalCandidates } from "../../../domain/certificates/renewal/renewal_candidates.ts";
import { renewCertificate } from "../../../domain/certificates/renewal/renew.ts";
import { ALL_FIELDS, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  BreakableName,
  Copyable,
  ErrorSummary,
  Expiry,
  type Html,
  isolate,
  Markdown,
  Property,
  PropertyList,
  Section,
  truncate,
} from "../../kit/components/mod.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { ObjectLinks } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { checkNew, reasonOf, refusePkcs12 } from "../imports/mod.ts";
import { done } from "../../responses.ts";
import { Candidates, namesOf, renewalPreview } from "./renewal_preview.tsx";
import {
  chosenFile,
  Elsewhere,
  openRequests,
  REQUEST_FIELDS,
  RequestForm,
  requestRenewal,
  SuccessorForm,
} from "./renewal_ways.tsx";
import { keyText } from "./columns.tsx";
import { loadDescription } from "./detail/all_fields.tsx";
import { EndpointCount, placesOf, withAssignedTo } from "./cells.tsx";
import { authorities } from "../../../domain/authorities/mod.ts";

const SHOWN = ["pem_content", "file", "private_key_location", ...REQUEST_FIELDS];

/** Renders possible successors, and a field for a new one. */
export async function renewPage(call: Call, errors: FieldErrors = {}): Promise<Response> {
  const { ctx } = call;
  const id = idOf(call);
  if (!isGranted(ctx, "renew", certificates.objectType)) throw forbidden();
  const [{ object }, candidates] = await Promise.all([
    getObject({ ctx, resource: certificates, id, selection: { ...ALL_FIELDS, long: false } }),
    renewalCandidates({ ctx, id, wide: true }),
  ]);
  const [notes, subject, requests, elsewhere] = await Promise.all([
    renewalNotes(call, object),
    renewalSubject(call, object),
    openRequests(call, id),
    Elsewhere({ call, object }),
  ]);
  const path = `/certificates/${id}/renew/`;
  return page(
    call,
    {
      title: `Renew ${isolate(truncate(object.common_name))}`,
      above: [["Certificates", "/certificates/"], [object.common_name, `/certificates/${id}/`]],
      errors,
    },
    <>
      <ErrorSummary errors={errors} shown={SHOWN} labels={{ pem_content: "New certificate" }} />
      {requests}
      {subject}
      <p>
        The new certificate takes over all assignments of the current one, which is then marked as replaced.
        Nothing changes until you confirm.
      </p>
      {notes}
      {candidates.length === 0 ? null : (
        <Section id="candidates" title="Possible successors in the inventory">
          <Candidates call={call} rows={candidates} path={path} object={object} />
        </Section>
      )}
      <Section id="new" title="New certificate">
        {candidates.length > 0 ? null : (
          <p class="faint">
            The inventory has no successor for it yet. A successor shares a name and the tenant, and begins or
            expires later.
          </p>
        )}
        <SuccessorForm call={call} id={id} location={object.private_key_location} errors={errors} />
      </Section>
      <RequestForm call={call} id={id} errors={errors} />
      {elsewhere}
    </>,
  );
}

/** Registers a signing request for the renewal: `POST /certificates/<id>/renew/request/`. */
export async function requestFromForm(call: Call): Promise<Response> {
  try {
    return await requestRenewal(call);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    const { pem_content: texts = [], ...errors } = fieldErrorsOf(error);
    return await renewPage(call, texts.length === 0 ? errors : { ...errors, request_pem: texts });
  }
}

/** Shows the result for confirmation, and renews after it. */
export async function renewFromForm(call: Call): Promise<Response> {
  const id = idOf(call);
  const confirmed = call.form.has("confirmed");
  try {
    await replaceFile(call.form);
    const input = renewalInput(call.form);
    const renewal = await renewCertificate({ ctx: call.ctx, id, input: { ...input, dry_run: !confirmed } });
    if (!confirmed) return await renewalPreview(call, id, renewal);
    await checkNew(call, [Number(renewal.new.id)]);
    const moved = renewal.assignments_moved;
    const note = [
      moved === 0 ? "" : ` ${counted(moved, "assignment")} moved to this certificate.`,
      renewal.requests_issued === 0 ? "" : ` ${counted(renewal.requests_issued, "signing request")} issued.`,
    ].join("");
    return done(call, `/certificates/${renewal.new.id}/`, `Certificate renewed.${note}`);
  } catch (error) {
    if (!(error instanceof AppError) || !["invalid", "conflict"].includes(error.code)) throw error;
    return await renewPage(call, fieldErrorsOf(error));
  }
}

/**
 * Copies the PEM of a chosen file into the form, so that the confirmation sends it again. Errors: invalid (`file`,
 * `pem_content`).
 */
async function replaceFile(form: FormData): Promise<void> {
  const file = chosenFile(form, "file");
  form.delete("file");
  if (file === undefined) return;
  if (textOf(form, "pem_content").trim() !== "") {
    throw invalidField("pem_content", "text_or_file", { files: "a file" });
  }
  const bytes = await file.bytes();
  refusePkcs12(file.name, bytes);
  form.set("pem_content", await successorPem(bytes));
}

/** Errors: invalid (`pem_content`), if neither a file nor a text nor an existing certificate is given. */
function renewalInput(
  form: FormData,
): Partial<Record<"certificate" | "pem_content" | "private_key_location" | "reason", unknown>> {
  const [certificate, pem] = [textOf(form, "certificate"), textOf(form, "pem_content")];
  const location = textOf(form, "private_key_location");
  const reason = { reason: reasonOf(form) };
  if (certificate !== "") {
    return { certificate: Number(certificate), ...reason };
  }
  if (pem.trim() === "") {
    throw invalidField("pem_content", "choose", { what: "a file or paste the certificate" });
  }
  return {
    pem_content: pem,
    ...(location === "" ? {} : { private_key_location: location }),
    ...reason,
  };
}

/** Maximum characters of the names; the page of the certificate has longer lists. */
const MAX_NAMES_CHARS = 10_000;
/** Maximum characters of the subject and of the issuer. */
const MAX_TEXT_CHARS = 500;
/** Number of objects to which it is assigned. */
const SHOWN_PLACES = 5;

/** Reads what the certificate is assigned to and its subject, and renders the box. Two statements. */
async function renewalSubject(call: Call, certificate: Certificate): Promise<Html> {
  const [[row = certificate], contents] = await Promise.all([
    withAssignedTo(call, [certificate]),
    loadDescription(call, certificate),
  ]);
  const places = placesOf(row);
  const names = [...new Set(namesOf(row))];
  const list = names.join("\n");
  const text = (value: string): Html | null =>
    value === "" ? null : <bdi>{truncate(value, MAX_TEXT_CHARS)}</bdi>;
  return (
    <section class="card" aria-labelledby="current">
      <h2 id="current">
        Current certificate: <bdi>{BreakableName({ text: truncate(row.common_name, MAX_TEXT_CHARS) })}</bdi>
      </h2>
      <PropertyList>
        <Property name="Expires">
          <Expiry row={row} />
        </Property>
        <Property name="Key">{keyText(row)}</Property>
        <Property name="Subject">{text(contents?.subject.text ?? "")}</Property>
        <Property name="Issuer">{text(row.issuer)}</Property>
        <Property name="Assigned to">
          {places.length === 0 ? EndpointCount(row) : <ObjectLinks briefs={places} most={SHOWN_PLACES} />}
        </Property>
      </PropertyList>
      <div class="names">
        <h2>Names</h2>
        {list.length <= MAX_NAMES_CHARS
          ? <Copyable text={list} label="names" />
          : <a href={objectPath(certificates, row.id)}>View all {numberText(names.length)} names</a>}
      </div>
    </section>
  );
}

const AUTHORITY = {
  brief: false,
  omit: [],
  long: false,
  fields: ["name", "portal_url", "instructions", "renewal_note"],
};

/** Renders notes of the certificate and its authority, and the instructions and the portal of the authority. */
async function renewalNotes(call: Call, certificate: Certificate): Promise<Html> {
  const { id } = certificate.issuing_ca ?? { id: null };
  const authority = id === null
    ? undefined
    : (await getObject({ ctx: call.ctx, resource: authorities, id, selection: AUTHORITY })).object;
  const portal = authority?.portal_url ?? "";
  const texts = [certificate.renewal_note, authority?.renewal_note, authority?.instructions].filter((text) =>
    typeof text === "string" && text !== ""
  );
  return (
    <>
      {texts.map((text) => (
        <div class="box">
          <Markdown text={String(text)} />
        </div>
      ))}
      {portal === "" ? null : (
        <p>
          Certificates of {String(authority?.name)} are ordered at{" "}
          <a href={portal} rel="noopener noreferrer">{portal}</a>.
        </p>
      )}
    </>
  );
}
