/** Pages between the selection of certificates and a bulk action: assignment, contact, status. */

import { capitalized } from "../../messages.ts";
import type { Brief } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { type FieldErrors, forbidden } from "../../../base/errors.ts";
import { assignments } from "../../../domain/assignments/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { contactRoles, contacts } from "../../../domain/contacts/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { Checkbox, EmptyState, isolate, Select, TextArea, truncate } from "../../kit/components/mod.ts";
import {
  backOf,
  certificatesById,
  formPage,
  loadReference,
  may,
  ObjectNames,
  Reference,
  referenceControl,
  withoutExpiry,
} from "../../kit/mod.ts";
import { refused } from "../../responses.ts";
import { page } from "../../shell/mod.ts";

/** The types of objects to which certificates are assigned. */
export const TARGETS = assignments.fields.assigned_object?.refers?.targets ?? [];
const PRIORITIES = ["primary", "secondary", "tertiary"] as const;
/** Maximum characters of a name in a title. */
const NAME_CHARS = 150;

export function mayBulk({ ctx }: Call): boolean {
  return isGranted(ctx, "bulk_operations", certificates.objectType);
}

/** Returns whether the user may assign contacts, which also needs a contact to choose. */
export function mayAssignContacts(call: Call): boolean {
  return may(call, contactAssignments, "add") && isGranted(call.ctx, "view", contacts.objectType);
}

type Shown = readonly Brief[];

async function selected(call: Call, ids: readonly number[]): Promise<Shown> {
  return [...(await certificatesById(call, ids, ["id", "url", "display"])).values()];
}

/** Returns what a title calls certificates: the name of a single one, or their number. */
function titleOf(count: number, [only]: Shown): string {
  return count === 1 && only !== undefined
    ? isolate(truncate(withoutExpiry(only.display), NAME_CHARS))
    : counted(count, "certificate");
}

/** Renders the form for the device, virtual machine or service; `errors` are those of a refusal. Errors: forbidden. */
export async function assignPage(
  call: Call,
  ids: readonly number[],
  errors: FieldErrors = {},
): Promise<Response> {
  if (!mayBulk(call) || !isGranted(call.ctx, "add", assignments.objectType)) throw forbidden();
  const back = backOf(call, certificates);
  const values = [textOf(call.form, "assigned_object")];
  const reference = await loadReference(call, TARGETS, { name: "assigned_object", values });
  const title = `Assign ${titleOf(ids.length, ids.length === 1 ? await selected(call, ids) : [])}`;
  const above = [["Certificates", "/certificates/"]] as const;
  if (reference.options?.length === 0) {
    return page(
      call,
      { title, above, errors },
      <EmptyState text="No devices, virtual machines or services yet. Create one to assign certificates to it.">
        <a role="button" href="/devices/new/">New device</a>
        <a role="button" class="secondary" href="/services/new/">New service</a>
      </EmptyState>,
    );
  }
  const help = assignments.fields.assigned_object?.description ?? "";
  return formPage(
    call,
    {
      title,
      above,
      action: "/certificates/bulk/",
      hidden: { action: "assign_to", back, ids },
      errors,
      shown: ["assigned_object", "notes", "is_primary"],
      submit: "Assign",
      back,
    },
    <>
      <Reference
        field={{ name: "assigned_object", help, required: true, errors }}
        reference={reference}
        values={values}
      />
      <Checkbox name="is_primary" label="Main certificate" checked={call.form.has("is_primary")} />
      <TextArea name="notes" value={textOf(call.form, "notes")} errors={errors} />
    </>,
  );
}

/** Renders the form for a contact; `errors` are those of a refusal. Errors: forbidden. */
export async function contactPage(
  call: Call,
  ids: readonly number[],
  errors: FieldErrors = {},
): Promise<Response> {
  if (!mayAssignContacts(call)) throw forbidden();
  const back = backOf(call, certificates);
  const help = "A contact with the role Owner goes before all others.";
  const [contact, role, found] = await Promise.all([
    referenceControl(call, contacts, { name: "contact", required: true, errors }),
    referenceControl(call, contactRoles, { name: "role", errors, help }),
    ids.length === 1 ? selected(call, ids) : [],
  ]);
  return formPage(
    call,
    {
      title: `Assign a contact to ${titleOf(ids.length, found)}`,
      above: [["Certificates", back]],
      action: "/certificates/bulk/",
      hidden: { action: "contact_to", back, ids },
      errors,
      shown: ["contact", "role", "priority"],
      submit: "Assign",
      back,
    },
    <>
      <p class="faint">
        The owner of a certificate is its contact with the role Owner, else its contact of the highest
        priority.
      </p>
      {contact}
      {role}
      <Select
        name="priority"
        value={textOf(call.form, "priority")}
        options={[["", "–"], ...PRIORITIES.map((one) => [one, capitalized(one)] as const)]}
        errors={errors}
      />
    </>,
  );
}

/** Asks to confirm that certificates are revoked. One statement. Errors: forbidden. */
export async function revocationPage(call: Call, ids: readonly number[]): Promise<Response> {
  if (!may(call, certificates, "change") || !mayBulk(call)) throw forbidden();
  const back = backOf(call, certificates);
  const found = await selected(call, ids);
  if (found.length === 0) return refused(call, back, "The selected certificates do not exist.");
  const [one, it] = found.length === 1 ? ["a certificate", "it"] : ["certificates", "them"];
  return formPage(
    call,
    {
      title: `Set ${titleOf(found.length, found)} to revoked?`,
      above: [["Certificates", back]],
      action: "/certificates/bulk/",
      hidden: {
        action: "status",
        back,
        ids: found.map(({ id }) => id),
        status: "revoked",
        confirmed: "yes",
      },
      submit: <button type="submit" class="danger">Set to revoked</button>,
      back,
    },
    <>
      <ObjectNames objects={found} />
      <p>
        Only the authority can revoke{" "}
        {one}: this records that it has. The list of current certificates then leaves {it} out.
      </p>
    </>,
  );
}
