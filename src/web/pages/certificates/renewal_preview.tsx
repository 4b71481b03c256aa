/** Compares both certificates of a renewal before it is done. */

import type { Assignment } from "../../../domain/assignments/mod.ts";
import { counted, uncapitalized } from "../../../base/amounts.ts";
import {
  type Certificate,
  certificates,
  compareRenewal,
  lostNames,
} from "../../../domain/certificates/mod.ts";
import {
  type Copyable,
  copyableFields,
  type renewCertificate,
} from "../../../domain/certificates/renewal/mod.ts";
import { failedPolicies } from "../../../domain/compliance/mod.ts";
import { allNames } from "../../../x509/mod.ts";
import type { Call } from "../../call.ts";
import { CheckboxList, Form, type Html, Icon, isolate, truncate } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { lostNote, ReasonSelect, type WarningNote, warningNotes } from "../imports/mod.ts";
import { mayActOn, ObjectLinks } from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { loadAssignments } from "../../../domain/advice/mod.ts";
import { FailedPolicies } from "./failed_policies.tsx";
import { Comparison } from "./renewal_comparison.tsx";

/** Name of the fields that an existing successor gets from the certificate if they are empty. */
export const COPIED = "copy_if_empty";

type Renewal = Awaited<ReturnType<typeof renewCertificate>>;

/** Renders changes, warnings and remaining steps. */
export async function renewalPreview(call: Call, id: number, renewal: Renewal): Promise<Response> {
  const back = `/certificates/${id}/`;
  const isStored = call.form.has("certificate");
  const missing = isStored ? copyableFields(renewal.old, renewal.new) : [];
  const { warnings, isSameKey, subject } = await compareRenewal(renewal);
  const [failed, places, permitted] = await Promise.all([
    failedPolicies({ ctx: call.ctx, certificate: renewal.new, subject }),
    loadAssignments(call.ctx, id),
    missing.length > 0 && mayActOn(call, certificates, { action: "change", id: renewal.new.id as number }),
  ]);
  const copied = permitted ? missing : [];
  // The location of a new key is copied only if the user asks for it.
  const proposed = copied.filter((name) => name !== "private_key_location" || isSameKey === true);
  const lost = lostNote(lostNames(namesOf(renewal.old), namesOf(renewal.new)));
  const filled = { ...renewal.new, ...Object.fromEntries(proposed.map((name) => [name, renewal.old[name]])) };
  const moved = renewal.assignments_moved;
  return page(
    call,
    {
      title: `Confirm renewal of ${isolate(truncate(String(renewal.old.common_name)))}`,
      above: [["Certificates", "/certificates/"], [String(renewal.old.common_name), back], [
        "Renew",
        `${back}renew/`,
      ]],
    },
    <>
      {lost === undefined ? null : <Warning note={lost} />}
      <FailedPolicies subject="The new certificate" failed={failed} />
      {warningNotes(warnings).map((note) => <Warning note={note} />)}
      {missing.length === 0 || permitted ? null : <NotCopied names={missing} />}
      <Comparison renewal={{ old: renewal.old, new: filled }} isSameKey={isSameKey} copied={proposed} />
      <p>
        {moved === 0
          ? "It has no assignments to move."
          : `${counted(moved, "assignment")} will move to the new certificate.`}{" "}
        The current certificate will be marked as replaced.
      </p>
      <Places rows={places ?? []} />
      <Form call={call} action={`${back}renew/`}>
        {["certificate", "pem_content", "private_key_location"].map((name) =>
          call.form.has(name) ? <HiddenInput name={name} value={textOf(call.form, name)} /> : null
        )}
        {copied.length === 0 ? null : (
          <CheckboxList
            name={COPIED}
            label="Copy to the new certificate"
            values={proposed}
            options={copied.map((name) => [name, labelOf(name)])}
            help={`Empty in the new certificate.${
              copied.includes("tags") ? " Policies and notices can depend on tags." : ""
            }`}
          />
        )}
        <ReasonSelect value={textOf(call.form, "reason")} />
        <div class="form-actions">
          <button type="submit" name="confirmed" value="yes">
            <Icon name="renew" />
            {moved === 0 ? "Renew" : `Renew and move ${counted(moved, "assignment")}`}
          </button>
          <a href={`${back}renew/`}>Choose another certificate</a>
        </div>
      </Form>
    </>,
  );
}

/** Says which fields the successor will not have, because the user may not change it. */
function NotCopied({ names }: { names: readonly Copyable[] }): Html {
  const labels = names.map((name, index) => index === 0 ? labelOf(name) : uncapitalized(labelOf(name)));
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        The new certificate does not get the values of these fields, because you may not change it:{" "}
        {labels.join(", ")}.
      </span>
    </p>
  );
}

/** Names the objects on which the new certificate has to be deployed, as far as the user may view them. */
function Places({ rows }: { rows: readonly Assignment[] }): Html | null {
  const objects = rows.map(({ assigned_object: object }) => object).filter((object) => object !== null);
  if (objects.length === 0) return null;
  return (
    <p>
      Then serve it: not yet seen at <ObjectLinks briefs={objects} />.
    </p>
  );
}

function Warning({ note: { tone, text } }: { note: WarningNote }): Html {
  return (
    <p class={`flash ${tone}`}>
      <Icon name={tone === "warn" ? "warning" : "info"} />
      <bdi>{text}</bdi>
    </p>
  );
}

/** Returns the common name and the alternative names. */
export function namesOf(
  { common_name: name, sans = [] }: Partial<Pick<Certificate, "common_name" | "sans">>,
): string[] {
  return allNames(String(name), [...sans]);
}

/** Renders a hidden field, which keeps line breaks (HTML §4.10.5.1.1). */
function HiddenInput({ name, value }: { name: string; value: string }): Html {
  return <input type="hidden" name={name} value={value} />;
}
