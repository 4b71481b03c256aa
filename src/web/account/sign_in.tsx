/** The page on which people sign in. */

import { AppError } from "../../base/errors.ts";
import { startSession } from "../../domain/accounts/sessions/mod.ts";
import type { PublicCall } from "../call.ts";
import { sessionCookie } from "../cookies.ts";
import { requireSameOrigin, textOf } from "../forms.ts";
import { TextField } from "../components/mod.ts";
import { messagesOf } from "../messages.ts";
import { ownPath, seeOther } from "../responses.ts";
import { bare } from "../shell/mod.ts";

/** The form. */
export function signInPage(call: PublicCall): Response {
  return form(call, { username: "", next: ownPath(call.query.get("next")) });
}

function form(
  call: PublicCall,
  { username, next, error, status }: { username: string; next: string; error?: string; status?: number },
): Response {
  return bare(
    call,
    { title: "Sign in", ...(status === undefined ? {} : { status }) },
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
      <p class="faint">
        The service prints the administrator's username and password once, when it starts for the first time.
      </p>
    </form>,
  );
}

/** Starts a session for a correct username and password. An earlier session of the browser expires by itself. */
export async function signInForm(call: PublicCall): Promise<Response> {
  requireSameOrigin(call);
  const username = textOf(call.form, "username");
  const next = ownPath(call.form.get("next"));
  try {
    const { secret } = await startSession({
      deps: call.deps,
      input: {
        username,
        password: textOf(call.form, "password"),
        address: call.client.address,
        userAgent: call.request.headers.get("user-agent") ?? "",
      },
    });
    return seeOther(call, next, { cookies: [sessionCookie(call.client, secret)] });
  } catch (error) {
    if (
      !(error instanceof AppError) || !["unauthenticated", "rate_limited", "unavailable"].includes(error.code)
    ) {
      throw error;
    }
    const [text = ""] = messagesOf(error.public);
    const wrong = error.code === "unauthenticated";
    const answer = form(call, {
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
