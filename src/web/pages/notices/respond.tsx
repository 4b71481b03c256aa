/** The page behind the links of messages: acknowledge an expiring certificate, or be reminded later. */

import { AppError } from "../../../base/errors.ts";
import { RESPOND_PATH, respondByLink, viewLink } from "../../../domain/notices/mod.ts";
import type { PublicCall } from "../../call.ts";
import { type Html, Time } from "../../kit/components/mod.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { messagesOf } from "../../messages.ts";
import { bare } from "../../shell/mod.ts";
import { ResponseFields } from "./response_fields.tsx";

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
              : <Snoozed at={response.snoozed_until} />}
          </p>
          <p>
            <a href={`/certificates/${response.certificate}/`} role="button">Open the certificate</a>
          </p>
        </>,
      );
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      return await confirmation(call, link, messagesOf(error.public).join(" "));
    }
  });
}

function Snoozed({ at }: { at: string }): Html {
  return (
    <>
      Reminders start again <Time at={at} />.
    </>
  );
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
