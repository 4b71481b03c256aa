/** The ways to renew a certificate: the issued one as file or text, a request for it, or that others renew it. */

import { sizeText } from "../../../base/amounts.ts";
import { type FieldErrors, invalidField } from "../../../base/errors.ts";
import { MAX_PEM_TEXT_BYTES } from "../../../base/limits.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { importRequest, signingRequests } from "../../../domain/signing_requests/mod.ts";
import { encodePem } from "../../../x509/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { Badge, FileField, type Html, Section, TextArea, TextField } from "../../kit/components/mod.ts";
import { may, ObjectLink, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { filesOf, GuardedForm } from "../imports/mod.ts";
import { noticeSection } from "../notices/mod.ts";

/** Renders the form for a successor that the inventory does not have; `location` is that of the current key. */
export function SuccessorForm(
  { call, id, location, errors }: { call: Call; id: number; location: string; errors: FieldErrors },
): Html {
  return (
    <GuardedForm call={call} action={`${objectPath(certificates, id)}renew/`} maxBytes={MAX_PEM_TEXT_BYTES}>
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
          label="Or paste PEM"
          rows={8}
          mono
          value={textOf(call.form, "pem_content")}
          errors={errors}
          help="The new certificate, followed by its chain if you have it. Do not paste the private key."
        />
      </div>
      <TextField
        name="private_key_location"
        value={call.form.has("private_key_location") ? textOf(call.form, "private_key_location") : location}
        errors={errors}
        help="Where the new private key is stored. Do not paste the key itself."
      />
      <div class="form-actions">
        <button type="submit">Compare</button>
      </div>
    </GuardedForm>
  );
}

/** Fields of the form for a request. */
export const REQUEST_FIELDS = ["request_file", "request_pem"];

/** Renders the form that registers a signing request for the renewal; nothing for users who may add none. */
export function RequestForm(
  { call, id, errors }: { call: Call; id: number; errors: FieldErrors },
): Html | null {
  if (!may(call, signingRequests, "add")) return null;
  return (
    <Section id="request" title="Not issued yet: new signing request">
      <p class="faint">
        The request takes over tenant, tags and authority of the certificate. Its page has a place for the
        issued certificate. Without a request yet, generate key and request with the command line:{" "}
        <code>certmgr csr create --for {id}</code>.
      </p>
      <GuardedForm
        call={call}
        action={`${objectPath(certificates, id)}renew/request/`}
        maxBytes={MAX_PEM_TEXT_BYTES}
      >
        <div class="sources">
          <FileField
            name="request_file"
            label="Request file"
            accept=".csr,.req,.pem,.der,.txt"
            errors={errors}
          />
          <TextArea
            name="request_pem"
            label="Or paste the request"
            rows={4}
            mono
            value={textOf(call.form, "request_pem")}
            errors={errors}
          />
        </div>
        <div class="form-actions">
          <button type="submit">Register request</button>
        </div>
      </GuardedForm>
    </Section>
  );
}

/** Registers the request of the form, and shows it. Errors: forbidden, invalid (by field of the form). */
export async function requestRenewal(call: Call): Promise<Response> {
  const { ctx, form } = call;
  const bytes = await chosenFile(form, "request_file")?.bytes();
  const pem = bytes === undefined ? textOf(form, "request_pem") : pemOf(bytes);
  if (pem.trim() === "") throw invalidField("request_pem", "nothing_given", { what: "the request" });
  const request = await importRequest({
    ctx,
    input: { pem_content: pem, renews: idOf(call), requested_by: ctx.actor.username },
  });
  const path = objectPath(signingRequests, Number(request.id));
  return done(call, path, "Signing request registered. Add the issued certificate here when you have it.");
}

/** Returns the chosen file of a field; undefined if none is chosen. Errors: invalid (the field) if it is too large. */
export function chosenFile(form: FormData, name: string): File | undefined {
  const [file] = filesOf(form, name);
  if (file === undefined || file.size <= MAX_PEM_TEXT_BYTES) return file;
  const [size, limit] = [sizeText(file.size), sizeText(MAX_PEM_TEXT_BYTES)];
  throw invalidField(name, "document_too_large", { what: "file has", size, limit });
}

/** The first byte of DER: a SEQUENCE. */
const DER_START = 0x30;

function pemOf(bytes: Uint8Array<ArrayBuffer>): string {
  return bytes[0] === DER_START ? encodePem(bytes, "CERTIFICATE REQUEST") : new TextDecoder().decode(bytes);
}

/** Renders how reminders stop if another system or person renews the certificate. */
export async function Elsewhere({ call, object }: { call: Call; object: Certificate }): Promise<Html> {
  return (
    <Section id="elsewhere" title="It is renewed elsewhere">
      <p class="faint">
        Nothing has to be done here: when the new certificate is imported or found at an endpoint, this page
        offers it as a successor.
      </p>
      {await noticeSection(call, object)}
    </Section>
  );
}

/** Number of requests that are named. */
const SHOWN_REQUESTS = 3;

/** Renders the open signing requests for the renewal; nothing without any. At most one statement. */
export async function openRequests(call: Call, id: number): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", signingRequests.objectType)) return null;
  const { rows } = await readRows(call.ctx, signingRequests, {
    params: { renews_id: id, status: ["pending", "approved"], start: 0, limit: SHOWN_REQUESTS },
    fields: ["id", "url", "display", "status"],
  });
  if (rows.length === 0) return null;
  return (
    <p class="flash info">
      <span>
        Open signing request for this renewal: {rows.map((request) => (
          <>
            <ObjectLink brief={request} /> <Badge value={request.status} />
            {" "}
          </>
        ))}
      </span>
    </p>
  );
}
