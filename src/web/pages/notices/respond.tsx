/** The page behind the links of messages: acknowledge an expiring certificate, or be reminded later. */

import { AppError } from "../../../base/errors.ts";
import {
  acknowledgeCertificate,
  proposedReminder,
  readResponse,
  remindCertificate,
  RESPOND_PATH,
  respondByLink,
  snoozeCertificate,
  viewLink,
} from "../../../domain/notices/mod.ts";
import { type Call, idOf, type PublicCall } from "../../call.ts";
import { Form, type Html, TextField, Time } from "../../kit/components/mod.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { messagesOf } from "../../messages.ts";
import { bare } from "../../shell/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { mayActOn, PostButton } from "../../kit/mod.ts";
import { attempt, done } from "../../responses.ts";

/** Asks for confirmation, because mail scanners open links, too. */
export async function respondPage(call: PublicCall): Promise<Response> {
  const link = call.query.get("link") ?? "";
  return await orRefusal(call, () => confirmation(call, link));
}

async function confirmation(call: PublicCall, link: string, error?: string): Promise<Response> {
  const { name, validTo } = await viewLink({ deps: call.deps, link });
  return bare(
    call,
    { title: "Respond to a notice", ...(error === undefined ? {} : { status: 400 }) },
    <>
      {error === undefined ? null : <p class="flash error" role="alert">{error}</p>}
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        expires <Time at={validTo} />.
      </p>
      <form method="post" action={RESPOND_PATH}>
        <input type="hidden" name="link" value={link} />
        <ResponseFields now={call.deps.clock.now()} validTo={validTo} />
      </form>
      <p class="faint">
        Acknowledging stops reminders for everyone, until the certificate is renewed or expires.
      </p>
    </>,
  );
}

/** Stores the response. The link works once. */
export async function respondForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const { form, deps } = call;
  const link = textOf(form, "link");
  const until = textOf(form, "action") === "snooze" ? textOf(form, "until") : null;
  return await orRefusal(call, async () => {
    try {
      const response = await respondByLink({ deps, link, until, reason: textOf(form, "reason") });
      return bare(
        call,
        { title: "Respond to a notice" },
        <>
          <p role="status">
            {response.snoozed_until === null
              ? "Acknowledged. No more reminders are sent for this certificate."
              : (
                <>
                  Reminders start again <Time at={response.snoozed_until} />.
                </>
              )}
          </p>
          <p>
            <a href={`/certificates/${response.certificate}/`} role="button">Open the certificate</a>
          </p>
        </>,
      );
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      return await confirmation(call, link, messagesOf(error).join(" "));
    }
  });
}

/** Runs work; answers a used or expired link with a sentence instead of the page for missing pages. */
async function orRefusal(call: PublicCall, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !["not_found", "forbidden"].includes(error.code)) throw error;
    return bare(
      call,
      { title: "Respond to a notice", status: 404 },
      <>
        <p>
          This link cannot be used: it was used before, is too old, or the certificate has changed.
        </p>
        <p>
          <a href="/" role="button">Sign in</a>
        </p>
      </>,
    );
  }
}

/** Renders the note and the buttons of both responses; reminders of an expiry that is too near cannot be postponed. */
function ResponseFields({ now, validTo }: { now: Millis; validTo: string }): Html {
  const proposed = proposedReminder({ now, validTo });
  return (
    <>
      <TextField name="reason" label="Note" help="Optional, for example who renews it." />
      <div class="responses">
        <div>
          <p class="faint">Stop the reminders for this certificate.</p>
          <button type="submit" name="action" value="acknowledge">Acknowledge</button>
        </div>
        {proposed === undefined ? null : (
          <div>
            <TextField name="until" label="Remind again on" type="date" value={proposed} />
            <button type="submit" name="action" value="snooze" class="secondary">Snooze</button>
          </div>
        )}
      </div>
    </>
  );
}

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
  const times = { now: call.ctx.clock.now(), validTo: certificate.valid_to };
  if (response === undefined && !offered) return null;
  return (
    <section aria-label="Reminders" class="reminders">
      {response === undefined ? null : (
        <p>
          {response.snoozed_until === null ? "Acknowledged" : (
            <>
              Snoozed until <Time at={response.snoozed_until} />
            </>
          )} by {response.username}, <Time at={response.created} />
          {response.reason === "" ? "." : `: ${response.reason}`}
          {acts
            ? (
              <PostButton
                call={call}
                action={`/certificates/${id}/notices/`}
                label="Remind again"
                class="secondary"
                hidden={{ action: "remind" }}
              />
            )
            : null}
        </p>
      )}
      {!offered ? null : (
        <details class="box">
          <summary>
            {proposedReminder(times) === undefined
              ? "Acknowledge reminders"
              : "Acknowledge or snooze reminders"}
          </summary>
          <Form call={call} action={`/certificates/${id}/notices/`}>
            <ResponseFields {...times} />
          </Form>
        </details>
      )}
    </section>
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
    if (textOf(form, "action") === "remind") {
      await remindCertificate({ ctx, id, input: {} });
      return done(call, back, "Reminders go on.");
    }
    await acknowledgeCertificate({ ctx, id, input: { reason } });
    return done(call, back, "Acknowledged. No more reminders are sent.");
  });
}
