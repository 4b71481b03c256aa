/** Renewal: choose or paste the successor, compare both, confirm. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, sizeText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, forbidden, invalid } from "../../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import {
  chosenPem,
  renewalCandidates,
  renewCertificate,
  successorPem,
} from "../../../domain/certificates/renewal/mod.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import { ALL_FIELDS, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  ErrorSummary,
  FileField,
  type Html,
  isolate,
  TextArea,
  TextField,
  truncate,
} from "../../kit/components/mod.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { issuerName } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { checkNew, GuardedForm, reasonOf, redirectRenewed, refusePkcs12, SUCCESSOR } from "../imports/mod.ts";
import { AlreadyStored, findStored, type Stored } from "./already_stored.tsx";
import { renewalNotes } from "./renewal_notes.tsx";
import { Candidates } from "./renewal_candidates.tsx";
import { COPIED, renewalPreview } from "./renewal_preview.tsx";
import { renewalSubject } from "./renewal_subject.tsx";

/** Label of the field for the new certificate, after that for a file. */
const PEM_LABEL = "Or paste PEM";
const SHOWN = ["pem_content", "file", "private_key_location"];

/** Renders possible successors, and a field for a new one. */
export function renewPage(call: Call): Promise<Response> {
  return choose(call, {});
}

async function choose(
  call: Call,
  { errors = {}, stored }: {
    errors?: FieldErrors;
    /** The existing certificate that was given as a new one. */
    stored?: Stored;
  },
): Promise<Response> {
  const id = idOf(call);
  if (!isGranted(call.ctx, "renew", certificates.objectType)) throw forbidden();
  const [{ object }, candidates] = await Promise.all([
    getObject({ ctx: call.ctx, resource: certificates, id, selection: { ...ALL_FIELDS, long: false } }),
    renewalCandidates({ ctx: call.ctx, id, wide: true }),
  ]);
  const [notes, subject] = await Promise.all([renewalNotes(call, object), renewalSubject(call, object)]);
  const path = `/certificates/${id}/renew/`;
  return page(
    call,
    {
      title: `Renew ${isolate(truncate(object.common_name))}`,
      above: [["Certificates", "/certificates/"], [object.common_name, `/certificates/${id}/`]],
      ...(Object.keys(errors).length > 0 || stored !== undefined ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary errors={errors} shown={SHOWN} labels={{ pem_content: "New certificate" }} />
      {stored === undefined ? null : <AlreadyStored call={call} stored={stored} object={object} />}
      {subject}
      <p>
        The new certificate takes over all assignments of the current one, which is then marked as replaced.
        Nothing changes until you confirm.
      </p>
      {notes}
      {candidates.length === 0 ? null : (
        <section aria-labelledby="candidates">
          <h2 id="candidates">Possible successors in the inventory</h2>
          <Candidates
            call={call}
            rows={candidates}
            path={path}
            object={object}
          />
        </section>
      )}
      <section aria-labelledby="new">
        <h2 id="new">New certificate</h2>
        {candidates.length > 0 ? null : (
          <p class="faint">
            The inventory has no successor for it yet. A successor shares a name and the tenant, and begins or
            expires later.
          </p>
        )}
        <SuccessorForm call={call} path={path} object={object} errors={errors} />
      </section>
    </>,
  );
}

/** Renders the form for a successor that the inventory does not have. */
function SuccessorForm(
  { call, path, object, errors }: { call: Call; path: string; object: Certificate; errors: FieldErrors },
): Html {
  const authority = new URLSearchParams({ target_ca: issuerName(object.issuer) });
  return (
    <GuardedForm call={call} action={path} maxBytes={MAX_PEM_TEXT_BYTES}>
      <div class="sources">
        <FileField
          name="file"
          label="File"
          accept=".pem,.crt,.cer,.der,.p7b,.p7c,.txt"
          errors={errors}
          help="PEM, DER or PKCS#7, with or without the chain."
        />
        <TextArea
          name="pem_content"
          label={PEM_LABEL}
          rows={8}
          mono
          value={textOf(call.form, "pem_content")}
          errors={errors}
          help="The new certificate, followed by its chain if you have it. Do not paste the private key."
        />
      </div>
      <TextField
        name="private_key_location"
        value={textOf(call.form, "private_key_location")}
        errors={errors}
        help={`Where the new private key is stored. Do not paste the key itself.${
          object.private_key_location === ""
            ? ""
            : ` The current one: ${truncate(object.private_key_location, 200)}`
        }`}
      />
      <div class="form-actions">
        <button type="submit">Compare</button>
        <span class="faint">
          Not issued yet?{" "}
          <a
            href={`${listPath(signingRequests)}new/?${authority}`}
          >
            Register a signing request
          </a>
        </span>
      </div>
    </GuardedForm>
  );
}

/** Shows the result for confirmation, and renews after it. */
export async function renewFromForm(call: Call): Promise<Response> {
  const id = idOf(call);
  const confirmed = call.form.has("confirmed");
  try {
    await replaceFile(call.form);
    await replaceChosen(call.form);
    requireCertificate(call.form);
    const input = renewalInput(call.form);
    const renewal = await renewCertificate({ ctx: call.ctx, id, input: { ...input, dry_run: !confirmed } });
    if (!confirmed) return await renewalPreview(call, id, renewal);
    await checkNew(call, [renewal.new.id as number]);
    const moved = renewal.assignments_moved;
    const note = moved === 0 ? "" : ` ${counted(moved, "assignment")} moved to this certificate.`;
    return await redirectRenewed(call, `/certificates/${renewal.new.id}/`, {
      text: `Certificate renewed.${note}`,
      renewed: [renewal.new.id as number],
    });
  } catch (error) {
    if (!(error instanceof AppError) || !["invalid", "conflict"].includes(error.code)) throw error;
    const stored = await findStored(call, id);
    return await choose(call, stored === undefined ? { errors: fieldErrorsOf(error) } : { stored });
  }
}

/**
 * Copies the PEM of a chosen file into the form, so that the confirmation sends it again. Errors: invalid (`file`,
 * `pem_content`).
 */
async function replaceFile(form: FormData): Promise<void> {
  const file = form.get("file");
  form.delete("file");
  // Browsers send an empty file without name if none is chosen.
  if (!(file instanceof File) || (file.size === 0 && file.name === "")) return;
  if (textOf(form, "pem_content").trim() !== "") {
    throw invalid({ pem_content: ["Paste text or choose a file, not both."] });
  }
  if (file.size > MAX_PEM_TEXT_BYTES) {
    throw invalid({
      file: [`The file has ${sizeText(file.size)}, more than the limit of ${sizeText(MAX_PEM_TEXT_BYTES)}.`],
    });
  }
  const bytes = await file.bytes();
  refusePkcs12(file.name, bytes);
  form.set("pem_content", await successorPem(bytes));
}

/** Errors: invalid (`pem_content`), if neither a file nor a text nor an existing certificate is given. */
function requireCertificate(form: FormData): void {
  if (textOf(form, "certificate") !== "" || textOf(form, "pem_content").trim() !== "") return;
  throw invalid({ pem_content: ["Choose a file or paste the certificate."] });
}

/** Keeps only the chosen certificate of the text and its issuers. Errors: invalid (`file`). */
async function replaceChosen(form: FormData): Promise<void> {
  const fingerprint = textOf(form, SUCCESSOR);
  if (fingerprint === "") return;
  form.set("pem_content", await chosenPem(textOf(form, "pem_content"), fingerprint));
}

function renewalInput(form: FormData): Record<string, unknown> {
  const certificate = textOf(form, "certificate");
  const reason = { reason: reasonOf(form) };
  if (certificate !== "") {
    return { certificate: Number(certificate), copy_if_empty: form.getAll(COPIED).map(String), ...reason };
  }
  const location = textOf(form, "private_key_location");
  return {
    pem_content: textOf(form, "pem_content"),
    // A new key is rarely where the current one is, so that its location is only what the user enters.
    copy_if_empty: ["description"],
    ...(location === "" ? {} : { private_key_location: location }),
    ...reason,
  };
}
