/** The form for a user's own password, and the field for the current one. */

import type { FieldErrors } from "../../../base/errors.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../../base/limits.ts";
import type { Call } from "../../call.ts";
import { Checkbox, ErrorSummary, Form, type Html, TextField } from "../../kit/components/mod.ts";

const SHOWN = ["current", "password", "again"];

/** Renders the field that forms with a change of credentials require. */
export function CurrentPassword({ errors }: { errors: FieldErrors }): Html {
  return (
    <TextField
      name="current"
      label="Current password"
      type="password"
      autocomplete="current-password"
      required
      errors={errors}
    />
  );
}

export function PasswordForm({ call, errors = {} }: { call: Call; errors?: FieldErrors }): Html {
  return (
    <details class="box" open={Object.keys(errors).length > 0}>
      <summary>Change password</summary>
      <Form call={call} action="/profile/password/">
        <ErrorSummary errors={errors} shown={SHOWN} />
        <CurrentPassword errors={errors} />
        <TextField
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          required
          errors={errors}
          help={`${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters. Changing it signs you out of all other sessions.`}
        />
        <TextField
          name="again"
          label="Confirm new password"
          type="password"
          autocomplete="new-password"
          required
          errors={errors}
        />
        <Checkbox
          name="revoke_tokens"
          label="Revoke all my API tokens"
          help="Programs that use them stop working. Do this if someone else may know your password."
        />
        <div class="form-actions">
          <button type="submit">Change password</button>
        </div>
      </Form>
    </details>
  );
}
