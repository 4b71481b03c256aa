/** Sign-in: by username and password, by the second factor after them, or by a passkey alone. */

import { AppError } from "../../../base/errors.ts";
import { type PasskeyRequest, requestPasskey } from "../../../domain/accounts/second_factors/passkeys.ts";
import {
  beginSecondStep,
  finishByCode,
  finishByPasskey,
  readSecondStep,
  type SecondStep,
  signInByPasskey,
} from "../../../domain/accounts/sessions/second_step.ts";
import { type StartedSession, startSession } from "../../../domain/accounts/sessions/web_sessions.ts";
import type { PublicCall } from "../../call.ts";
import { flowCookie, noFlowCookie, readFlowCookie, sessionCookie } from "../../cookies.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { type Content, ErrorSummary, type Html, TextField } from "../../kit/components/mod.ts";
import { messagesOf } from "../../messages.ts";
import { ownPath, refused, seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";
import { assetPath } from "../../assets/mod.ts";

/** Path of the page that asks for the second factor. */
export const SECOND_STEP_PATH = "/sign-in/second-step/";
/** Path for signing in with a passkey alone. */
export const PASSKEY_PATH = "/sign-in/passkey/";
const EXPIRED = "This sign-in has expired. Enter your password again.";
/** Statuses of the refusals that the pages show next to their forms. */
const STATUSES: Readonly<Record<string, number>> = {
  unauthenticated: 401,
  rate_limited: 429,
  conflict: 409,
  unavailable: 503,
};

/** Returns the error if a page shows it next to its forms; throws others. */
function shownError(error: unknown): AppError {
  if (error instanceof AppError && ["unauthenticated", "rate_limited", "conflict"].includes(error.code)) {
    return error;
  }
  throw error;
}

export async function secondStepPage(call: PublicCall): Promise<Response> {
  const step = await readSecondStep(call.deps, readFlowCookie(call) ?? "");
  const next = ownPath(call.query.get("next"));
  return step === undefined ? startAgain(call) : stepPage(call, { step, next });
}

/** Finishes the sign-in by the code or the passkey of the form. */
export async function secondStepForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const { client, deps, form } = call;
  const step = await readSecondStep(deps, readFlowCookie(call) ?? "");
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
  } catch (given) {
    const error = shownError(given);
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
    const text = messagesOf(shownError(error)).join(" ");
    return refused(call, `/sign-in/?next=${encodeURIComponent(next)}`, text);
  }
  return seeOther(call, next, { cookies: [sessionCookie(client, session.secret)] });
}

/** Returns the client for the log of sign-ins. */
export function clientOf({ client, request }: PublicCall): { address: string | null; userAgent: string } {
  return { address: client.address, userAgent: request.headers.get("user-agent") ?? "" };
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
  const { hasApp, recoveryCodes, passkey } = step;
  return bare(
    call,
    { title: "Second step", ...(error === undefined ? {} : { status: STATUSES[error.code] ?? 400 }) },
    <>
      {error === undefined ? null : <ErrorSummary errors={{ detail: messagesOf(error) }} shown={[]} />}
      {passkey === undefined
        ? null
        : (
          <PasskeyForm action={SECOND_STEP_PATH} kind="get" request={passkey} button="Use a passkey">
            <input type="hidden" name="next" value={next} />
          </PasskeyForm>
        )}
      {!hasApp && recoveryCodes === 0 ? null : (
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
      )}
      <p>
        <a href="/sign-in/">Sign in as someone else</a>
      </p>
    </>,
  );
}

export async function signInPage(call: PublicCall): Promise<Response> {
  return await form(call, { username: "", next: ownPath(call.query.get("next")) });
}

async function form(
  call: PublicCall,
  { username, next, error, status }: {
    username: string;
    next: string;
    error?: string;
    status?: number | undefined;
  },
): Promise<Response> {
  const { local, providers } = call.deps.settings.signIn;
  // The first passkey button stores a key: the page has no button while nothing can be stored.
  const passkey = local
    ? await requestPasskey(call.deps, null).catch((error): undefined => {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
    })
    : undefined;
  return bare(
    call,
    { title: "Sign in", ...(status === undefined ? {} : { status }) },
    <>
      {next === "/" ? null : <p>Sign in to continue to the page that you opened.</p>}
      {/* Links, because the Content-Security-Policy does not allow forms to lead there. */}
      {providers.map(({ id, name }) => (
        <p>
          <a href={`/sign-in/begin/${id}/?next=${encodeURIComponent(next)}`} role="button">{name}</a>
        </p>
      ))}
      {local
        ? (
          <form method="post" action="/sign-in/">
            {error === undefined ? null : <p class="flash error" role="alert">{error}</p>}
            <input type="hidden" name="next" value={next} />
            <TextField
              name="username"
              value={username}
              autocomplete="username"
              required
              autofocus={username === ""}
            />
            <TextField
              name="password"
              type="password"
              autocomplete="current-password"
              required
              autofocus={username !== ""}
            />
            <button type="submit">Sign in</button>
          </form>
        )
        : null}
      {passkey === undefined ? null : (
        <PasskeyForm
          action={PASSKEY_PATH}
          kind="get"
          request={passkey}
          button="Sign in with a passkey"
          secondary
        >
          <input type="hidden" name="next" value={next} />
        </PasskeyForm>
      )}
    </>,
  );
}

/** Starts a session for a correct username and password, or asks for the second factor. An earlier session of the browser expires by itself. */
export async function signInForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const username = textOf(call.form, "username");
  const next = ownPath(call.form.get("next"));
  try {
    const started = await startSession({
      deps: call.deps,
      input: {
        username,
        password: textOf(call.form, "password"),
        ...clientOf(call),
      },
    });
    if ("secret" in started) {
      return seeOther(call, next, { cookies: [sessionCookie(call.client, started.secret)] });
    }
    return seeOther(call, `${SECOND_STEP_PATH}?next=${encodeURIComponent(next)}`, {
      cookies: [flowCookie(call.client, await beginSecondStep(call.deps, started))],
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "conflict" || !(error.code in STATUSES)) throw error;
    const [text = ""] = error.code === "unauthenticated"
      ? ["Incorrect username or password."]
      : messagesOf(error);
    const answer = await form(call, { username, next, error: text, status: STATUSES[error.code] });
    for (const [name, value] of Object.entries(error.headers)) {
      if (name !== "WWW-Authenticate") answer.headers.set(name, value);
    }
    return answer;
  }
}

/** Renders the form, which is hidden without scripts. */
export function PasskeyForm(
  { action, kind, request, button, secondary, children }: {
    action: string;
    kind: "create" | "get";
    request: PasskeyRequest;
    button: string;
    secondary?: boolean;
    children?: Content;
  },
): Html {
  return (
    <form method="post" action={action} data-passkey={kind} data-options={request.options} hidden>
      {children}
      <input type="hidden" name="setup" value={request.setup} />
      <input type="hidden" name="response" value="" />
      <p class="flash error" role="alert" data-passkey-error hidden></p>
      <button type="submit" class={secondary ? "secondary" : undefined}>{button}</button>
      <script type="module" src={assetPath("passkeys.js")}></script>
    </form>
  );
}
