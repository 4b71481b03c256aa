/** Responses to expiry notices, on the page of a certificate. */

import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import {
  acknowledgeCertificate,
  type NoticeResponse,
  proposedReminder,
  readResponse,
  snoozeCertificate,
} from "../../../domain/notices/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { Form, type Html, Time } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { mayActOn } from "../../kit/mod.ts";
import { attempt, done } from "../../responses.ts";
import { ResponseFields } from "./response_fields.tsx";

/** Days before the expiry from which responses are offered. */
const NEAR_DAYS = 90;

/** Returns the section; nothing for a certificate without reminders, or long before them. */
export async function noticeSection(call: Call, certificate: Certificate): Promise<Html | null> {
  const { id, status, replaced_by, days_remaining: days } = certificate;
  if (!["active", "pending"].includes(status) || replaced_by !== null) return null;
  const [response, acts] = await Promise.all([
    readResponse(call.ctx, id),
    mayActOn(call, certificates, { action: "acknowledge", id }),
  ]);
  const offered = acts && days <= NEAR_DAYS;
  if (response === undefined && !offered) return null;
  return (
    <section aria-label="Reminders" class="reminders">
      <CurrentResponse response={response} />
      {offered ? <ResponseForm call={call} certificate={certificate} /> : null}
    </section>
  );
}

function CurrentResponse({ response }: { response: NoticeResponse | undefined }): Html | null {
  if (response === undefined) return null;
  const { username, created, snoozed_until, reason } = response;
  return (
    <p>
      {snoozed_until === null ? "Acknowledged" : (
        <>
          Snoozed until <Time at={snoozed_until} />
        </>
      )} by {username}, <Time at={created} />
      {reason === "" ? "." : `: ${reason}`}
    </p>
  );
}

function ResponseForm({ call, certificate }: { call: Call; certificate: Certificate }): Html {
  const times = { now: call.ctx.clock.now(), validTo: certificate.valid_to };
  return (
    <details class="box">
      <summary>
        {proposedReminder(times) === undefined ? "Acknowledge reminders" : "Acknowledge or snooze reminders"}
      </summary>
      <Form call={call} action={`/certificates/${certificate.id}/notices/`}>
        <ResponseFields {...times} />
      </Form>
    </details>
  );
}

/** Stores a response. */
export async function respondOnPage(call: Call): Promise<Response> {
  const { ctx, form } = call;
  const id = idOf(call);
  const back = `/certificates/${id}/`;
  const reason = textOf(form, "reason");
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    if (textOf(form, "action") === "snooze") {
      await snoozeCertificate({ ctx, id, input: { until: textOf(form, "until"), reason } });
      return done(call, back, "Reminders snoozed.");
    }
    await acknowledgeCertificate({ ctx, id, input: { reason } });
    return done(call, back, "Acknowledged. No more reminders are sent.");
  });
}
