/** Adds and removes a user's second factors, and replaces recovery codes: each change asks for the password first. */

import { renderSVG } from "uqr";
import type { AppErrorCode, FieldErrors } from "../../../base/errors.ts";
import {
  addApp,
  beginApp,
  type NewApp,
  removeApp,
  resumeApp,
} from "../../../domain/accounts/second_factors/authenticator_app.ts";
import { addPasskey, beginPasskey, removePasskey } from "../../../domain/accounts/second_factors/passkeys.ts";
import { renewRecoveryCodes } from "../../../domain/accounts/second_factors/factors.ts";
import { type Call, ID, idOf, type Route } from "../../call.ts";
import { CSRF_FIELD, textOf } from "../../forms.ts";
import { type Content, Copyable, TextField } from "../../kit/components/mod.ts";
import { formPage, orAgain } from "../../kit/mod.ts";
import { attempt, done } from "../../responses.ts";
import { page } from "../../shell/mod.ts";
import { CurrentPassword } from "./profile_forms.tsx";
import { PasskeyForm } from "./sign_in.tsx";

/** The page about a user's second factors. */
export const SECURITY_PATH = "/profile/security/";
/** Breadcrumbs above the pages of its forms. */
const ABOVE = [["Profile", "/profile/"], ["Sign-in and security", SECURITY_PATH]] as const;
const REFUSALS: readonly AppErrorCode[] = ["invalid", "conflict", "forbidden", "rate_limited", "unavailable"];
/** Width of the white border around the code in modules, which scanners need (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A change that asks for the password. */
interface Change {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** More fields, before the password. */
  readonly fields?: (call: Call, errors: FieldErrors) => Content;
  /** Runs it with the password. */
  readonly work: (call: Call, given: { current: string; address: string | null }) => Promise<Response>;
  /** Completes it with what the page after the password has sent; `setup` is the key of what was begun. */
  readonly finish?: (call: Call, setup: string) => Promise<Response>;
}

/** The changes by their paths. */
const CHANGES: readonly (readonly [path: string, change: Change])[] = [
  ["app/", {
    title: "Set up authenticator app",
    text: "Confirm your password. The next page shows a code for your app to scan.",
    button: "Continue",
    work: async (call, given) => scanPage(call, await beginApp(call.ctx, given)),
    finish: (call, setup) =>
      attempt({ call, back: SECURITY_PATH, codes: ["conflict"] }, () =>
        orAgain(async () => {
          const code = textOf(call.form, "code");
          const codes = await addApp(call.ctx, { setup, code, keepSession: call.session.id });
          return afterChange(call, { codes, text: "Authenticator app set up." });
        }, async (errors) => scanPage(call, await resumeApp(call.ctx, setup), errors))),
  }],
  ["app/remove/", {
    title: "Remove authenticator app",
    text: "Codes of the app no longer sign you in.",
    button: "Remove app",
    work: async (call, given) => {
      await removeApp(call.ctx, given);
      return done(call, SECURITY_PATH, "Authenticator app removed.");
    },
  }],
  ["passkeys/new/", {
    title: "Add passkey",
    text: "Name the device or security key, and confirm your password.",
    button: "Continue",
    fields: ({ form }, errors) => (
      <TextField name="name" value={textOf(form, "name")} required autofocus errors={errors} />
    ),
    work: async (call, given) => {
      const request = await beginPasskey(call.ctx, { ...given, name: textOf(call.form, "name") });
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
    },
    finish: (call, setup) =>
      attempt({ call, back: SECURITY_PATH, codes: ["conflict", "invalid"] }, async () => {
        const response = textOf(call.form, "response");
        const codes = await addPasskey(call.ctx, { setup, response, keepSession: call.session.id });
        return afterChange(call, { codes, text: "Passkey added." });
      }),
  }],
  [`passkeys/${ID}/remove/`, {
    title: "Remove passkey",
    text: "The passkey no longer signs you in. Delete it on its device as well.",
    button: "Remove passkey",
    work: async (call, given) => {
      await removePasskey(call.ctx, { ...given, id: idOf(call) });
      return done(call, SECURITY_PATH, "Passkey removed.");
    },
  }],
  ["recovery-codes/", {
    title: "Create new recovery codes",
    text: "Your current codes will stop working.",
    button: "Create codes",
    work: async (call, given) =>
      afterChange(call, { codes: await renewRecoveryCodes(call.ctx, given), text: "New codes created." }),
  }],
];

/** The forms of the changes, and their actions. */
export const changeRoutes: readonly Route[] = CHANGES.flatMap(([path, change]) => [
  { method: "GET", path: SECURITY_PATH + path, handle: (call) => confirmationPage(call, change) },
  {
    method: "POST",
    path: SECURITY_PATH + path,
    handle: (call) => {
      const setup = textOf(call.form, "setup");
      if (change.finish !== undefined && setup !== "") return change.finish(call, setup);
      return orAgain(
        () => change.work(call, { current: textOf(call.form, "current"), address: call.client.address }),
        (errors) => confirmationPage(call, change, errors),
        REFUSALS,
      );
    },
  },
]);

/** Renders the form, which is posted to the URL of the page. */
function confirmationPage(
  call: Call,
  { title, text, button, fields }: Change,
  errors: FieldErrors = {},
): Response {
  return formPage(
    call,
    {
      title,
      above: ABOVE,
      action: call.url.pathname,
      errors,
      shown: ["current", "name"],
      submit: button,
      back: SECURITY_PATH,
    },
    <>
      <p>{text}</p>
      {fields?.(call, errors)}
      <CurrentPassword errors={errors} />
    </>,
  );
}

/** Reports a new factor, and shows its recovery codes, which is possible only once. */
function afterChange(call: Call, { codes, text }: { codes: readonly string[]; text: string }): Response {
  if (codes.length === 0) return done(call, SECURITY_PATH, text);
  return page(
    call,
    { title: "Recovery codes", above: ABOVE },
    <section>
      <p class="flash success" role="status">{text}</p>
      <p>
        Store these {codes.length}{" "}
        codes where you keep your passwords: they are not shown again. If you lose your device, each of them
        signs you in once, after your password.
      </p>
      <Copyable text={codes.join("\n")} label="Recovery codes" />
      <p>
        <a href={SECURITY_PATH} role="button">I have stored them</a>
      </p>
    </section>,
  );
}

/** Shows the secret of an app, and asks for its first code. */
function scanPage(call: Call, { setup, secret, uri }: NewApp, errors: FieldErrors = {}): Response {
  const picture = `data:image/svg+xml,${encodeURIComponent(renderSVG(uri, { border: QUIET_ZONE }))}`;
  return formPage(
    call,
    {
      title: "Set up authenticator app",
      above: ABOVE,
      action: `${SECURITY_PATH}app/`,
      hidden: { setup },
      errors,
      shown: ["code"],
      submit: "Set up app",
      back: SECURITY_PATH,
    },
    <>
      <p>Scan this QR code with your authenticator app, or enter the key.</p>
      <img class="qr" src={picture} width="220" height="220" alt="QR code with the key below" />
      <Copyable text={secret.replaceAll(/(.{4})(?=.)/g, "$1 ")} label="Key" oneLine />
      <TextField
        name="code"
        label="Code"
        autocomplete="one-time-code"
        required
        autofocus
        errors={errors}
        help="The six digits that the app shows now."
      />
    </>,
  );
}
