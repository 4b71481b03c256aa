/** The form for a user's own password. */

import type { FieldErrors } from "../../base/errors.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../base/limits.ts";
import type { Call } from "../call.ts";
import { Checkbox, ErrorSummary, Form, type Html, TextField } from "../components/mod.ts";

const SHOWN = ["current", "password", "again"];

/** The form. */
export function PasswordForm({ call, errors = {} }: { call: Call; errors?: FieldErrors }): Html {
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <details class="box" open={Object.keys(errors).length > 0}>
        <summary>Change password</summary>
        <Form call={call} action="/profile/password/">
          <ErrorSummary errors={errors} shown={SHOWN} />
          <TextField
            name="current"
            label="Present password"
            type="password"
            autocomplete="current-password"
            required
            errors={errors}
          />
          <TextField
            name="password"
            label="New password"
            type="password"
            autocomplete="new-password"
            required
            errors={errors}
            help={`${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters. All your other sessions end.`}
          />
          <TextField
            name="again"
            label="New password again"
            type="password"
            autocomplete="new-password"
            required
            errors={errors}
          />
          <Checkbox
            name="revoke_tokens"
            label="Revoke all my API tokens"
            help="Otherwise programs keep working with the tokens they have. Choose this if somebody may know your password."
          />
          <button type="submit">Change password</button>
        </Form>
      </details>
    </section>
  );
}
