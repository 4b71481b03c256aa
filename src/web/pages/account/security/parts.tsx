/** Shared parts of the pages about a user's second factors. */

import { AppError, type FieldErrors } from "../../../../base/errors.ts";
import type { Call } from "../../../call.ts";
import { type Content, Copyable, ErrorSummary, Form } from "../../../kit/components/mod.ts";
import { textOf } from "../../../forms.ts";
import { fieldErrorsOf } from "../../../messages.ts";
import { done } from "../../../responses.ts";
import { page } from "../../../shell/mod.ts";
import { CurrentPassword } from "../password_form.tsx";

/** The page about a user's second factors. */
export const SECURITY_PATH = "/profile/security/";
/** Breadcrumbs above the pages of its forms. */
export const ABOVE: readonly (readonly [string, string])[] = [
  ["Profile", "/profile/"],
  ["Sign-in and security", SECURITY_PATH],
];
const REFUSALS = ["invalid", "conflict", "forbidden", "rate_limited", "unavailable"];

/** A form that asks for the password before a change. */
export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  /** More fields, before the password. */
  readonly fields?: (errors: FieldErrors) => Content;
  readonly errors?: FieldErrors;
}

/** Renders the form, which is posted to the URL of the page. */
export function confirmationPage(
  call: Call,
  { title, text, button, fields, errors = {} }: Confirmation,
): Response {
  const wrong = Object.keys(errors).length > 0;
  return page(
    call,
    { title, above: ABOVE, ...(wrong ? { status: 400 } : {}) },
    <Form call={call} action={call.url.pathname}>
      <ErrorSummary errors={errors} shown={["current", "name"]} />
      <p>{text}</p>
      {fields?.(errors)}
      <CurrentPassword errors={errors} />
      <div class="actions">
        <button type="submit">{button}</button>
        <a href={SECURITY_PATH} role="button" class="secondary">Cancel</a>
      </div>
    </Form>,
  );
}

/** Runs the action of a confirmation; shows the form again with the errors of a refusal. */
export async function confirmed(
  call: Call,
  { confirmation, work }: {
    confirmation: Confirmation;
    work: (given: { current: string; address: string | null }) => Promise<Response>;
  },
): Promise<Response> {
  try {
    return await work({ current: textOf(call.form, "current"), address: call.client.address });
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.includes(error.code)) throw error;
    return confirmationPage(call, { ...confirmation, errors: fieldErrorsOf(error) });
  }
}

/** Reports a new factor, and shows its recovery codes, which is possible only once. */
export function afterChange(
  call: Call,
  { codes, text }: { codes: readonly string[]; text: string },
): Response {
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
