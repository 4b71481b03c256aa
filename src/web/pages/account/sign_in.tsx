/** The sign-in page. */

import { AppError } from "../../../base/errors.ts";
import { requestPasskey } from "../../../domain/accounts/second_factors/mod.ts";
import { beginSecondStep, startSession } from "../../../domain/accounts/sessions/mod.ts";
import type { PublicCall } from "../../call.ts";
import { flowCookie, sessionCookie } from "../../cookies.ts";
import { requireSameOrigin, textOf } from "../../forms.ts";
import { type Html, TextField } from "../../kit/components/mod.ts";
import { messagesOf } from "../../messages.ts";
import { ownPath, seeOther } from "../../responses.ts";
import { bare } from "../../shell/mod.ts";
import { PasskeyForm } from "./passkey_form.tsx";
import { PASSKEY_PATH, SECOND_STEP_PATH } from "./second_step.tsx";

export async function signInPage(call: PublicCall): Promise<Response> {
  return await form(call, { username: "", next: ownPath(call.query.get("next")) });
}

async function form(
  call: PublicCall,
  { username, next, error, status }: { username: string; next: string; error?: string; status?: number },
): Promise<Response> {
  const { local } = call.deps.settings.signIn;
  const passkey = local ? await requestPasskey(call.deps, null).catch(undefinedIfUnavailable) : undefined;
  return bare(
    call,
    { title: "Sign in", ...(status === undefined ? {} : { status }) },
    <>
      {next === "/" ? null : <p>Sign in to continue to the page that you opened.</p>}
      <ProviderButtons call={call} next={next} />
      {local ? <PasswordForm username={username} next={next} error={error} /> : null}
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

/**
 * Returns undefined for an unavailable database: the first passkey button stores a key, so the page has no button while
 * nothing can be stored.
 */
function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
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
        address: call.client.address,
        userAgent: call.request.headers.get("user-agent") ?? "",
      },
    });
    if ("secret" in started) {
      return seeOther(call, next, { cookies: [sessionCookie(call.client, started.secret)] });
    }
    return seeOther(call, `${SECOND_STEP_PATH}?next=${encodeURIComponent(next)}`, {
      cookies: [flowCookie(call.client, await beginSecondStep(call.deps, started))],
    });
  } catch (error) {
    if (
      !(error instanceof AppError) || !["unauthenticated", "rate_limited", "unavailable"].includes(error.code)
    ) {
      throw error;
    }
    const [text = ""] = messagesOf(error.public);
    const wrong = error.code === "unauthenticated";
    const answer = await form(call, {
      username,
      next,
      error: wrong ? "Incorrect username or password." : text,
      status: wrong ? 401 : error.code === "rate_limited" ? 429 : 503,
    });
    for (const [name, value] of Object.entries(error.headers)) {
      if (name !== "WWW-Authenticate") answer.headers.set(name, value);
    }
    return answer;
  }
}

/**
 * Links to the providers at which users may sign in. They are links because the Content-Security-Policy does not allow
 * forms to lead there.
 */
function ProviderButtons({ call, next }: { call: PublicCall; next: string }): Html {
  return (
    <>
      {call.deps.settings.signIn.providers.map(({ id, name }) => (
        <p>
          <a href={`/sign-in/begin/${id}/?next=${encodeURIComponent(next)}`} role="button">{name}</a>
        </p>
      ))}
    </>
  );
}

function PasswordForm(
  { username, next, error }: { username: string; next: string; error: string | undefined },
): Html {
  return (
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
  );
}
