/** Tells the owners of certificates: the button, the page with the message to each, and the action. */

import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { contacts } from "../../../domain/contacts/mod.ts";
import { notificationDeliveries, tellOwners } from "../../../domain/notices/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { Checkbox, type Html, Section, TextArea, TextField } from "../../kit/components/mod.ts";
import {
  backOf,
  certificatesById,
  formPage,
  MailLink,
  may,
  ObjectLink,
  ObjectNames,
  orAgain,
  PostButton,
} from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";
import { ownPath, refused, seeOther } from "../../responses.ts";
import { mailServerNote } from "../notices/mod.ts";

/** Rows of the field of a longer text, which scrolls. */
const MAX_ROWS = 14;
const REASONS = { no_owner: "no owner", no_email: "the owner has no e-mail address" } as const;

/** Returns whether the user may tell owners about any certificates. */
export function mayTell(call: Call): boolean {
  return may(call, certificates, "change") && isGranted(call.ctx, "view", contacts.objectType);
}

/**
 * Renders the button for a certificate, or for all of a list (`all`, with the path of the list as `back`); leads back
 * to the page that has it.
 */
export function TellButton(
  { call, ...about }: { call: Call; back: string } & ({ ids: readonly number[] } | { all: "true" }),
): Html | null {
  if (!mayTell(call)) return null;
  const hidden = { action: "tell", then: call.url.pathname, ...about };
  const button = { action: "/certificates/bulk/", hidden };
  return <PostButton call={call} {...button} label="Tell owner…" class="secondary" />;
}

/** Returns the page to return to: the one that had the button, or the list. */
function afterTelling(call: Call): string {
  return call.form.has("then") ? ownPath(call.form.get("then")) : backOf(call, certificates);
}

/** Shows the message to each owner; `errors` are those of a refusal. Errors: forbidden, invalid. */
export async function tellPage(
  call: Call,
  ids: readonly number[],
  errors: FieldErrors = {},
): Promise<Response> {
  const { ctx, form } = call;
  const [back, then] = [backOf(call, certificates), afterTelling(call)];
  const { total, told, not_told } = await tellOwners({ ctx, input: { ids, dry_run: true } });
  if (total === 0) return refused(call, then, "You may not change any of these certificates.");
  const names = await certificatesById(call, not_told.map((one) => one.certificate), ["url", "display"]);
  const posted = told.some(({ owner: { id } }) => form.has(`subject_${id}`));
  return formPage(
    call,
    {
      title: told.length === 0
        ? "No owner can be notified"
        : `Tell ${counted(told.length, "owner")} about ${counted(total - not_told.length, "certificate")}`,
      above: [["Certificates", listPath(certificates)]],
      action: "/certificates/bulk/",
      hidden: { action: "tell_now", ids, back, then },
      errors,
      labels: { texts: "Message", subjects: "Subject" },
      submit: told.length === 0 || !ctx.settings.mailConfigured ? null : "Send",
      back: then,
    },
    <>
      {await mailServerNote(call, 0)}
      {told.length < 2
        ? null
        : <TextArea name="note" label="Add to each message" rows={2} value={textOf(form, "note")} />}
      {told.map(({ owner, recipient, subject, text, certificates: { length } }) => (
        <Section id={`owner-${owner.id}`} title={<ObjectLink brief={owner} />} count={length}>
          <p>
            To <MailLink address={recipient} />
          </p>
          <TextField
            name={`subject_${owner.id}`}
            label="Subject"
            value={posted ? textOf(form, `subject_${owner.id}`) : subject}
            errors={errors}
          />
          <TextArea
            name={`text_${owner.id}`}
            label="Message"
            rows={Math.min(text.split("\n").length + 1, MAX_ROWS)}
            value={posted ? textOf(form, `text_${owner.id}`) : text}
          />
          <Checkbox
            name={`send_${owner.id}`}
            label={`Send to ${owner.display}`}
            checked={!posted || form.has(`send_${owner.id}`)}
          />
        </Section>
      ))}
      {[...Map.groupBy(not_told, ({ reason }) => reason)].map(([reason, own]) => (
        <Section id={reason} title={`Cannot be notified: ${REASONS[reason]}`} count={own.length}>
          <ObjectNames
            objects={own.flatMap((one) =>
              names.get(one.certificate) ?? []
            )}
          />
        </Section>
      ))}
    </>,
  );
}

type Letters = Awaited<ReturnType<typeof tellOwners>>["told"];

/** Sends the messages to the owners that the page showed and that are still ticked. */
export async function tellFromForm(call: Call, ids: readonly number[]): Promise<Response> {
  const { ctx, form } = call;
  const note = textOf(form, "note").trim();
  const given = (part: "text" | "subject", to: Letters, more = ""): Readonly<Record<string, string>> =>
    Object.fromEntries(to.map(({ owner: { id } }) => [id, textOf(form, `${part}_${id}`) + more]));
  return await orAgain(
    async () => {
      const { told } = await tellOwners({ ctx, input: { ids, dry_run: true } });
      const chosen = told.filter(({ owner }) => form.has(`send_${owner.id}`));
      if (chosen.length === 0) return await tellPage(call, ids, { __all__: ["Choose at least one owner."] });
      const input = {
        ids: chosen.flatMap((one) => one.certificates),
        texts: given("text", chosen, note === "" ? "" : `\n\n${note}`),
        subjects: given("subject", chosen),
      };
      const sent = await tellOwners({ ctx, input });
      const text = `${counted(sent.told.length, "owner")} notified about ${
        counted(sent.total, "certificate")
      }.`;
      const link = isGranted(ctx, "view", notificationDeliveries.objectType)
        ? {
          link: { label: "View the messages", path: `${listPath(notificationDeliveries)}?event=owner_told` },
        }
        : {};
      return seeOther(call, afterTelling(call), { flash: { kind: "success", text, ...link } });
    },
    (errors) => tellPage(call, ids, errors),
    ["invalid", "conflict", "rate_limited"],
  );
}
