/** Makes a contact responsible for the selected certificates: the form, and the action. */

import { isGranted } from "../../../auth/mod.ts";
import { AppError, type FieldErrors, forbidden, invalid } from "../../../base/errors.ts";
import { assignContact, contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { contactRoles, contacts } from "../../../domain/contacts/mod.ts";
import type { Call } from "../../call.ts";
import { ErrorSummary, Form, Select } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { fieldErrorsOf } from "../../messages.ts";
import { may, postedReference, referenceControl } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { selectedTextOf } from "./selected_text.ts";

const SHOWN = ["contact", "role", "priority"];
const PRIORITIES = [["", "–"], ["primary", "Primary"], ["secondary", "Secondary"], [
  "tertiary",
  "Tertiary",
]] as const;

/** Returns whether the user may use it, which also needs a contact to choose. */
export function mayAssignContacts(call: Call): boolean {
  return may(call, contactAssignments, "add") && isGranted(call.ctx, "view", contacts.objectType);
}

/** Renders the form; `errors` are those of a refusal. Errors: forbidden. */
export async function contactPage(
  call: Call,
  ids: readonly number[],
  { back, errors = {} }: { back: string; errors?: FieldErrors },
): Promise<Response> {
  if (!mayAssignContacts(call)) throw forbidden();
  const [contact, role, selected] = await Promise.all([
    referenceControl(call, contacts, { name: "contact", required: true, errors }),
    referenceControl(call, contactRoles, {
      name: "role",
      errors,
      help: "A contact with the role Owner goes before all others.",
    }),
    selectedTextOf(call, ids),
  ]);
  return page(
    call,
    {
      title: `Assign a contact to ${selected}`,
      above: [["Certificates", back]],
      ...(Object.keys(errors).length > 0 ? { status: 400 } : {}),
    },
    <div class="box form">
      <Form call={call} action="/certificates/bulk/">
        <ErrorSummary errors={errors} shown={SHOWN} />
        <p class="faint">
          The owner of a certificate is its contact with the role Owner, else its contact of the highest
          priority.
        </p>
        <input type="hidden" name="action" value="contact_to" />
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="ids" value={ids.join(",")} />
        {contact}
        {role}
        <Select name="priority" value={textOf(call.form, "priority")} options={PRIORITIES} errors={errors} />
        <div class="form-actions">
          <button type="submit">Assign</button>
          <a href={back}>Cancel</a>
        </div>
      </Form>
    </div>,
  );
}

/** Assigns the posted contact; shows the form again if that is refused. */
export async function assignPosted(
  call: Call,
  ids: readonly number[],
  back: string,
): Promise<Response | { readonly created: number; readonly skipped: number }> {
  try {
    const [contact, role] = await Promise.all([
      postedReference(call, [contacts], "contact"),
      postedReference(call, [contactRoles], "role"),
    ]);
    if (contact === undefined) throw invalid({ contact: ["Choose a contact."] });
    const priority = textOf(call.form, "priority");
    const { created_count: created, skipped_count: skipped } = await assignContact({
      ctx: call.ctx,
      input: {
        certificate_ids: ids,
        contact: contact.id,
        role: role?.id ?? null,
        priority: priority === "" ? null : priority,
      },
    });
    return { created, skipped };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return await contactPage(call, ids, { back, errors: fieldErrorsOf(error) });
  }
}
