/** The second step of a sign-in, and sign-in by a passkey alone. */

import { AppError } from "../../../base/errors.ts";
import {
  finishByCode,
  finishByPasskey,
  readSecondStep,
  type SecondStep,
  signInByPasskey,
  type StartedSession,
} from "../../../domain/accounts/sessions/mod.ts";
import type { PublicCall } from "../../call.ts";
import { ErrorSummary, type Html, TextField } from "../../kit/components/mod.ts";
import { noFlowCookie, readFlowCookie, sessionCookie } from "../../cookies.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { messagesOf } from "../../messages.ts";
import { ownPath, refused, seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";
import { PasskeyForm } from "./passkey_form.tsx";

/** Path of the page that asks for the second factor. */
export const SECOND_STEP_PATH = "/sign-in/second-step/";
/** Path for signing in with a passkey alone. */
export const PASSKEY_PATH = "/sign-in/passkey/";
const EXPIRED = "This sign-in has expired. Enter your password again.";
/** Errors that the page shows next to its forms. */
const SHOWN = ["unauthenticated", "rate_limited", "conflict"];

export async function secondStepPage(call: PublicCall): Promise<Response> {
  const step = await readStep(call);
  const next = ownPath(call.query.get("next"));
  return step === undefined ? startAgain(call) : stepPage(call, { step, next });
}

/** Finishes the sign-in by the code or the passkey of the form. */
export async function secondStepForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const { client, deps, form } = call;
  const step = await readStep(call);
  if (step === undefined) return startAgain(call);
  const next = ownPath(form.get("next"));
  try {
    const given = { step, client: clientOf(call) };
    const session = form.has("response")
      ? await finishByPasskey(deps, {
        ...given,
        setup: textOf(form, "setup"),
        response: textOf(form, "response"),
      })
      : await finishByCode(deps, { ...given, code: textOf(form, "code") });
    return seeOther(call, next, { cookies: [sessionCookie(client, session.secret), noFlowCookie(client)] });
  } catch (error) {
    if (!(error instanceof AppError) || !SHOWN.includes(error.code)) throw error;
    const answer = stepPage(call, { step, next, error });
    const wait = error.headers["Retry-After"];
    if (wait !== undefined) answer.headers.set("retry-after", wait);
    return answer;
  }
}

/** Signs in by a passkey, without name and password. */
export async function passkeyForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const { client, deps, form } = call;
  const next = ownPath(form.get("next"));
  let session: StartedSession;
  try {
    session = await signInByPasskey(deps, {
      setup: textOf(form, "setup"),
      response: textOf(form, "response"),
      client: clientOf(call),
    });
  } catch (error) {
    if (!(error instanceof AppError) || !SHOWN.includes(error.code)) throw error;
    return refused(call, `/sign-in/?next=${encodeURIComponent(next)}`, messagesOf(error.public).join(" "));
  }
  return seeOther(call, next, { cookies: [sessionCookie(client, session.secret)] });
}

function clientOf({ client, request }: PublicCall): { address: string | null; userAgent: string } {
  return { address: client.address, userAgent: request.headers.get("user-agent") ?? "" };
}

async function readStep(call: PublicCall): Promise<SecondStep | undefined> {
  const sealed = readFlowCookie(call);
  return sealed === undefined ? undefined : await readSecondStep(call.deps, sealed);
}

function startAgain(call: PublicCall): Response {
  return seeOther(call, "/sign-in/", {
    flash: { kind: "error", text: EXPIRED },
    cookies: [noFlowCookie(call.client)],
  });
}

function stepPage(
  call: PublicCall,
  { step, next, error }: { step: SecondStep; next: string; error?: AppError },
): Response {
  const statuses: Readonly<Record<string, number>> = {
    unauthenticated: 401,
    rate_limited: 429,
    conflict: 409,
  };
  return bare(
    call,
    { title: "Second step", ...(error === undefined ? {} : { status: statuses[error.code] ?? 400 }) },
    <>
      {error === undefined ? null : <ErrorSummary errors={{ detail: messagesOf(error.public) }} shown={[]} />}
      {step.passkey === undefined
        ? null
        : (
          <PasskeyForm action={SECOND_STEP_PATH} kind="get" request={step.passkey} button="Use a passkey">
            <input type="hidden" name="next" value={next} />
          </PasskeyForm>
        )}
      <CodeForm step={step} next={next} />
      <p>
        <a href="/sign-in/">Sign in as someone else</a>
      </p>
    </>,
  );
}

function CodeForm(
  { step: { hasApp, recoveryCodes, passkey }, next }: { step: SecondStep; next: string },
): Html | null {
  if (!hasApp && recoveryCodes === 0) return null;
  return (
    <form method="post" action={SECOND_STEP_PATH}>
      <input type="hidden" name="next" value={next} />
      <TextField
        name="code"
        label={hasApp ? "Code" : "Recovery code"}
        autocomplete="one-time-code"
        required
        autofocus={hasApp}
        help={hasApp
          ? "Six digits from your authenticator app, or a recovery code."
          : "Lost your passkey? Each recovery code signs you in once."}
      />
      <button type="submit" class={passkey === undefined ? undefined : "secondary"}>Sign in</button>
    </form>
  );
}
