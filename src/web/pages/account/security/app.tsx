/** Sets up and removes the authenticator app. */

import { renderSVG } from "uqr";
import { AppError, type FieldErrors } from "../../../../base/errors.ts";
import {
  addApp,
  beginApp,
  type NewApp,
  removeApp,
  resumeApp,
} from "../../../../domain/accounts/second_factors/mod.ts";
import type { Call } from "../../../call.ts";
import { Copyable, ErrorSummary, Form, TextField } from "../../../kit/components/mod.ts";
import { textOf } from "../../../forms.ts";
import { fieldErrorsOf } from "../../../messages.ts";
import { attempt, done } from "../../../responses.ts";
import { page } from "../../../shell/mod.ts";
import {
  ABOVE,
  afterChange,
  type Confirmation,
  confirmationPage,
  confirmed,
  SECURITY_PATH,
} from "./parts.tsx";

/** Width of the white border around the code in modules, which scanners need (ISO/IEC 18004). */
const QUIET_ZONE = 4;
const SET_UP: Confirmation = {
  title: "Set up authenticator app",
  text: "Confirm your password. The next page shows a code for your app to scan.",
  button: "Continue",
};
const REMOVE: Confirmation = {
  title: "Remove authenticator app",
  text: "Codes of the app no longer sign you in.",
  button: "Remove app",
};

export function setUpAppPage(call: Call): Response {
  return confirmationPage(call, SET_UP);
}

/** Shows the secret after the password, and stores it after the first code. */
export async function setUpAppForm(call: Call): Promise<Response> {
  const { ctx, form, session } = call;
  const setup = textOf(form, "setup");
  if (setup === "") {
    return await confirmed(call, {
      confirmation: SET_UP,
      work: async (given) => scanPage(call, await beginApp(ctx, given)),
    });
  }
  return await attempt({ call, back: SECURITY_PATH, codes: ["conflict"] }, async () => {
    try {
      const codes = await addApp(ctx, { setup, code: textOf(form, "code"), keepSession: session.id });
      return afterChange(call, { codes, text: "Authenticator app set up." });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      return scanPage(call, await resumeApp(ctx, setup), fieldErrorsOf(error));
    }
  });
}

export function removeAppPage(call: Call): Response {
  return confirmationPage(call, REMOVE);
}

export async function removeAppForm(call: Call): Promise<Response> {
  return await confirmed(call, {
    confirmation: REMOVE,
    work: async (given) => {
      await removeApp(call.ctx, given);
      return done(call, SECURITY_PATH, "Authenticator app removed.");
    },
  });
}

function scanPage(call: Call, { setup, secret, uri }: NewApp, errors: FieldErrors = {}): Response {
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: QUIET_ZONE }))}`;
  const wrong = Object.keys(errors).length > 0;
  return page(
    call,
    { title: SET_UP.title, above: ABOVE, ...(wrong ? { status: 400 } : {}) },
    <>
      <p>Scan this QR code with your authenticator app, or enter the key.</p>
      <img class="qr" src={picture} width="220" height="220" alt="QR code with the key below" />
      <Copyable text={secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} label="Key" oneLine />
      <Form call={call} action={`${SECURITY_PATH}app/`}>
        <input type="hidden" name="setup" value={setup} />
        <ErrorSummary errors={errors} shown={["code"]} />
        <TextField
          name="code"
          label="Code"
          autocomplete="one-time-code"
          required
          autofocus
          errors={errors}
          help="The six digits that the app shows now."
        />
        <div class="actions">
          <button type="submit">Set up app</button>
          <a href={SECURITY_PATH} role="button" class="secondary">Cancel</a>
        </div>
      </Form>
    </>,
  );
}
