/** Adds and removes passkeys. */

import {
  addPasskey,
  beginPasskey,
  type PasskeyRequest,
  removePasskey,
} from "../../../../domain/accounts/second_factors/mod.ts";
import { type Call, idOf } from "../../../call.ts";
import { TextField } from "../../../kit/components/mod.ts";
import { CSRF_FIELD, textOf } from "../../../forms.ts";
import { attempt, done } from "../../../responses.ts";
import { page } from "../../../shell/mod.ts";
import { PasskeyForm } from "../passkey_form.tsx";
import {
  ABOVE,
  afterChange,
  type Confirmation,
  confirmationPage,
  confirmed,
  SECURITY_PATH,
} from "./parts.tsx";

const REMOVE: Confirmation = {
  title: "Remove passkey",
  text: "The passkey no longer signs you in. Delete it on its device as well.",
  button: "Remove passkey",
};

function adding({ form }: Call): Confirmation {
  return {
    title: "Add passkey",
    text: "Name the device or security key, and confirm your password.",
    button: "Continue",
    fields: (errors) => (
      <TextField name="name" value={textOf(form, "name")} required autofocus errors={errors} />
    ),
  };
}

export function addPasskeyPage(call: Call): Response {
  return confirmationPage(call, adding(call));
}

/** Requests a passkey from the browser after the password, and stores its response. */
export async function addPasskeyForm(call: Call): Promise<Response> {
  const { ctx, form, session } = call;
  const setup = textOf(form, "setup");
  if (setup === "") {
    return await confirmed(call, {
      confirmation: adding(call),
      work: async (given) =>
        createPage(call, await beginPasskey(ctx, { ...given, name: textOf(form, "name") })),
    });
  }
  return await attempt({ call, back: SECURITY_PATH, codes: ["conflict", "invalid"] }, async () => {
    const response = textOf(form, "response");
    const codes = await addPasskey(ctx, { setup, response, keepSession: session.id });
    return afterChange(call, { codes, text: "Passkey added." });
  });
}

export function removePasskeyPage(call: Call): Response {
  return confirmationPage(call, REMOVE);
}

export async function removePasskeyForm(call: Call): Promise<Response> {
  return await confirmed(call, {
    confirmation: REMOVE,
    work: async (given) => {
      await removePasskey(call.ctx, { ...given, id: idOf(call) });
      return done(call, SECURITY_PATH, "Passkey removed.");
    },
  });
}

function createPage(call: Call, request: PasskeyRequest): Response {
  return page(
    call,
    { title: "Add passkey", above: ABOVE },
    <>
      <p data-without-passkeys>
        Passkeys need scripts and a current browser. Without them, use an authenticator app.
      </p>
      <PasskeyForm
        action={`${SECURITY_PATH}passkeys/new/`}
        kind="create"
        request={request}
        button="Create passkey"
      >
        <input type="hidden" name={CSRF_FIELD} value={call.formToken} />
      </PasskeyForm>
      <p>
        <a href={SECURITY_PATH}>Cancel</a>
      </p>
    </>,
  );
}
