/** The page on which certificates are assigned to an object. */

import { isGranted } from "../../../auth/mod.ts";
import { type FieldErrors, forbidden } from "../../../base/errors.ts";
import { assignments } from "../../../domain/assignments/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { Checkbox, EmptyState, ErrorSummary, Form, TextArea } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { loadReference, Reference } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { selectedTextOf } from "./selected_text.ts";

/** Fields that show their own errors. */
const SHOWN = ["assigned_object", "notes", "is_primary"];

/** The types of objects to which certificates are assigned. */
export const TARGETS = assignments.fields.assigned_object?.targets ?? [];

/** Renders the form for the device, virtual machine or service; `errors` are those of a refusal. Errors: forbidden. */
export async function assignPage(
  call: Call,
  ids: readonly number[],
  { back, errors = {} }: { back: string; errors?: FieldErrors },
): Promise<Response> {
  const granted = isGranted(call.ctx, "bulk_operations", certificates.objectType) &&
    isGranted(call.ctx, "add", assignments.objectType);
  if (!granted) throw forbidden();
  const values = [textOf(call.form, "assigned_object")];
  const reference = await loadReference(call, TARGETS, { name: "assigned_object", values });
  return page(
    call,
    {
      title: `Assign ${await selectedTextOf(call, ids)}`,
      above: [["Certificates", "/certificates/"]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    reference.options?.length === 0
      ? (
        <EmptyState text="No devices, virtual machines or services yet. Create one to assign certificates to it.">
          <a role="button" href="/devices/new/">New device</a>
          <a role="button" class="secondary" href="/services/new/">New service</a>
        </EmptyState>
      )
      : (
        <div class="box">
          <Form call={call} action="/certificates/bulk/">
            <ErrorSummary errors={errors} shown={SHOWN} />
            <input type="hidden" name="action" value="assign_to" />
            <input type="hidden" name="back" value={back} />
            {ids.map((id) => <input type="hidden" name="ids" value={String(id)} />)}
            <Reference
              field={{
                name: "assigned_object",
                help: assignments.fields.assigned_object?.description ?? "",
                required: true,
                errors,
              }}
              reference={reference}
              values={values}
            />
            <Checkbox
              name="is_primary"
              label="Main certificate"
              checked={call.form.has("is_primary")}
            />
            <TextArea name="notes" value={textOf(call.form, "notes")} errors={errors} />
            <div class="form-actions">
              <button type="submit">Assign</button>
              <a href={back}>Cancel</a>
            </div>
          </Form>
        </div>
      ),
  );
}
