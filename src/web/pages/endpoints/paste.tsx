/** Adds endpoints by pasting names or a table. */

import { counted } from "../../../base/amounts.ts";
import { AppError, forbidden } from "../../../base/errors.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { ENDPOINT_COLUMNS, importEndpoints } from "../../../domain/endpoints/importing/mod.ts";
import type { Call } from "../../call.ts";
import { ErrorSummary, Form, Joined } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf, labelOf } from "../../messages.ts";
import { may } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { done } from "../../responses.ts";
import { page } from "../../shell/mod.ts";

/** Maximum number of errors on the page. */
const SHOWN_ERRORS = 10;

export function pastePage(call: Call, given = "", errors: readonly string[] = []): Response {
  if (!may(call, endpoints, "add")) throw forbidden();
  const wrong = errors.length > 0;
  return page(
    call,
    {
      title: "Add several endpoints",
      above: [["Endpoints", listPath(endpoints)]],
      ...(wrong ? { status: 400 } : {}),
    },
    <div class="box">
      <Form call={call} action={`${listPath(endpoints)}import/`}>
        <ErrorSummary errors={wrong ? { __all__: [...errors] } : {}} shown={[]} />
        <label for="names">Hosts</label>
        <textarea
          id="names"
          name="names"
          rows={12}
          required
          aria-describedby="names-help"
          aria-invalid={wrong ? "true" : undefined}
        >
          {given}
        </textarea>
        <p id="names-help" class="help">
          One on each line: a host, with an optional port and protocol, such as <code>www.example.com</code>,
          {" "}
          <code>10.0.0.5:8443</code> or{" "}
          <code>mail.example.com:25/smtp</code>. Or a CSV table whose first line names its columns:{" "}
          {ENDPOINT_COLUMNS.map(labelOf).join(", ")}.
        </p>
        <details>
          <summary>Names of the columns in the API</summary>
          <p>
            <Joined items={ENDPOINT_COLUMNS.map((name) => <code>{name}</code>)} />
          </p>
        </details>
        <div class="form-actions">
          <button type="submit">Add endpoints</button>
          <a href={listPath(endpoints)}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}

/** Creates all endpoints, or none: then the form is shown again with the errors. */
export async function addPasted(call: Call): Promise<Response> {
  const content = textOf(call.form, "names");
  const { ctx } = call;
  try {
    const { errors } = await importEndpoints({ ctx, input: { content, dry_run: true } });
    if (errors.length > 0) return pastePage(call, content, errors.slice(0, SHOWN_ERRORS).map(messageOf));
    const { created_count, skipped_count } = await importEndpoints({ ctx, input: { content } });
    const skipped = skipped_count === 0 ? "" : ` ${skipped_count} existed already.`;
    return done(call, listPath(endpoints), `${counted(created_count, "endpoint")} added.${skipped}`);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return pastePage(call, content, Object.values(fieldErrorsOf(error)).flat());
  }
}

/** Returns an error with its line, and with its column unless it is about the host or the whole line. */
function messageOf({ row, field, message }: { row: number; field: string; message: string }): string {
  const place = row === 0 ? "" : `Line ${row}: `;
  return `${place}${["host", "content", "__all__"].includes(field) ? "" : `${labelOf(field)}: `}${message}`;
}
