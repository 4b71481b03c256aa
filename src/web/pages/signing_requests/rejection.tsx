/** Asks for the reason before signing requests are rejected. */

import { counted, numberText } from "../../../base/amounts.ts";
import { type FieldErrors, forbidden } from "../../../base/errors.ts";
import { signingRequests } from "../../../domain/signing_requests/mod.ts";
import { type Brief, getObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { ErrorSummary, Form, TextArea } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { mayActOn, ObjectNames } from "../../kit/mod.ts";
import { listPath, objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { MAX_REASON_CHARS } from "./rejection_notes.ts";

/** Returns the errors of the posted reason. */
export function errorsOfReason({ form }: Call): FieldErrors {
  const { length } = textOf(form, "reason").trim();
  if (length === 0) return { reason: ["Enter why the request is rejected."] };
  if (length <= MAX_REASON_CHARS) return {};
  return {
    reason: [`Too long: ${numberText(length)} characters. Expected at most ${numberText(MAX_REASON_CHARS)}.`],
  };
}

/** Renders the form for one request: `GET /csrs/<id>/reject/`. Errors: not_found, forbidden. */
export async function rejectOnePage(call: Call): Promise<Response> {
  const id = idOf(call);
  const { object } = await getObject({
    ctx: call.ctx,
    resource: signingRequests,
    id,
    selection: { brief: false, omit: [], long: false, fields: ["id", "url", "display"] },
  });
  if (!await mayActOn(call, signingRequests, { action: "change", id })) throw forbidden();
  return rejectionPage(call, [object], { back: objectPath(signingRequests, id) });
}

/** Renders the form for these requests; with `errors`, after a refusal. */
export function rejectionPage(
  call: Call,
  requests: readonly Brief[],
  { back, errors = {} }: { back: string; errors?: FieldErrors },
): Response {
  const count = requests.length === 1 ? "signing request" : counted(requests.length, "signing request");
  return page(
    call,
    {
      title: `Reject ${count}?`,
      above: [["Signing requests", listPath(signingRequests)]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    <div class="box form">
      <Form call={call} action="/csrs/status/">
        <ErrorSummary errors={errors} shown={["reason"]} />
        <ObjectNames objects={requests} />
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={requests.map(({ id }) => id).join(",")} />
        <TextArea
          name="reason"
          value={textOf(call.form, "reason")}
          rows={3}
          help="Shown on the page of the request, and added to its notes with your name and the date."
          errors={errors}
          required
        />
        <div class="form-actions">
          <button type="submit" name="status" value="rejected">Reject</button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}
