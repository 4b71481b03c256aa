/** A preview of the message that a webhook sends, with the template of the form. */

import { parseDatetime } from "../../../base/clock.ts";
import { renderTemplate, templateFault } from "../../../domain/webhooks/mod.ts";
import { messageBody } from "../../../domain/webhooks/deliveries/mod.ts";
import { Copyable, type Html } from "../../kit/components/mod.ts";
import { type FormState, PICK } from "../../kit/mod.ts";

/** Time of the example. */
const TIME = "2026-11-20T09:30:00Z";
/** A certificate in the example; messages have all its fields. */
const CERTIFICATE = {
  id: 17,
  common_name: "www.example.com",
  status: "active",
  valid_to: "2027-02-18T23:59:59Z",
  tenant: "acme",
};

/** Renders the message about the first event of the form, as its template makes it. */
export function MessagePreview({ state }: { state: FormState }): Html {
  const event = [state.events ?? []].flat()[0] ?? "created";
  const message = JSON.parse(messageBody({
    objectType: "certmgr.certificate",
    event,
    time: parseDatetime(TIME) ?? 0,
    username: "admin",
    requestId: "1f0b6c1e-5b0e-4a58-9d0a-2f6f1f4b7c11",
    prechange: event === "created" || event === "certificate_expiring" ? null : CERTIFICATE,
    postchange: event === "deleted" ? null : CERTIFICATE,
    details: event === "certificate_expiring" ? { threshold: 30, days_remaining: 30 } : null,
  }, "msg_2y6zbq0c5n8v1k4f7h3j9w"));
  const { text, fault } = rendered(String(state.body_template ?? ""), message);
  return (
    <div class="field preview" id="message-preview" data-in-place="events body_template">
      <p class="label">Preview of a message</p>
      <p class="faint">
        Sent by POST with the headers webhook-id, webhook-timestamp and webhook-signature. Snapshots have all
        fields of the object.
      </p>
      {fault === undefined
        ? <Copyable text={text} label="Preview of a message" />
        : <p class="error">{fault}</p>}
      <button type="submit" name={PICK} value="preview" formnovalidate class="secondary small">
        Update preview
      </button>
    </div>
  );
}

function rendered(template: string, message: object): { text: string; fault?: string } {
  if (template.trim() === "") return { text: JSON.stringify(message, null, 2) };
  const fault = templateFault(template, message);
  if (fault !== undefined) return { text: "", fault };
  return { text: JSON.stringify(JSON.parse(renderTemplate(template, message)), null, 2) };
}
