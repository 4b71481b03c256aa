/** The page on which certificates are assigned to an object. */

import { isGranted } from "../../../auth/mod.ts";
import { type FieldErrors, forbidden } from "../../../base/errors.ts";
import { assignments } from "../../../domain/assignments/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import type { Call } from "../../call.ts";
import { Checkbox, EmptyState, ErrorSummary, Form, TextArea } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { targetControl } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { selectedTextOf } from "./selected_text.ts";

/** Fields that show their own errors. */
const SHOWN = ["assigned_object", "assigned_object_type", "assigned_object_id", "notes", "is_primary"];

/** Renders the form for the device, virtual machine or service; `errors` are those of a refusal. Errors: forbidden. */
export async function assignPage(
  call: Call,
  ids: readonly number[],
  { back, errors = {} }: { back: string; errors?: FieldErrors },
): Promise<Response> {
  const granted = isGranted(call.ctx, "bulk_operations", certificates.objectType) &&
    isGranted(call.ctx, "add", assignments.objectType);
  if (!granted) throw forbidden();
  const target = await targetControl(call, assignments, errors);
  return page(
    call,
    {
      title: `Assign ${await selectedTextOf(call, ids)}`,
      above: [["Certificates", "/certificates/"]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    target === undefined
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
            <noscript>
              {/* Enter in a field activates the first button of a form, which must not be a search (HTML §4.10.21.2). */}
              <button
                type="submit"
                name="action"
                value="assign_to"
                class="hidden"
                tabindex={-1}
                aria-hidden="true"
              >
                Assign
              </button>
            </noscript>
            <input type="hidden" name="back" value={back} />
            {ids.map((id) => <input type="hidden" name="ids" value={String(id)} />)}
            {target}
            <Checkbox
              name="is_primary"
              label="Main certificate"
              checked={call.form.has("is_primary")}
            />
            <TextArea name="notes" value={textOf(call.form, "notes")} errors={errors} />
            <div class="form-actions">
              <button type="submit" name="action" value="assign_to">Assign</button>
              <a href={back}>Cancel</a>
            </div>
          </Form>
        </div>
      ),
  );
}
