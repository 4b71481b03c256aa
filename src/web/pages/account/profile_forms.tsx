/** A user's own API tokens. */

import { addDays, formatDatetime, hasPassed } from "../../../base/clock.ts";
import type { FieldErrors } from "../../../base/errors.ts";
import { type Token, tokens } from "../../../domain/accounts/tokens/resource.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  Badge,
  Checkbox,
  EmptyState,
  ErrorSummary,
  Form,
  type Html,
  Table,
  TextArea,
  TextField,
  Time,
} from "../../kit/components/mod.ts";
import { PostButton, readRows } from "../../kit/mod.ts";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "../../../base/limits.ts";

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

export function PasswordForm({ call, errors }: { call: Call; errors: FieldErrors }): Html {
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

/** Returns the user's tokens, the newest first. */
export async function ownTokens(call: Call): Promise<readonly Token[]> {
  const params = { user_id: String(call.ctx.actor.userId), ordering: "-id", limit: 0 };
  return (await readRows(call.ctx, tokens, { params })).rows;
}

/** Renders the tokens, and the form for a new one. */
export function TokenList(
  { call, list, errors }: { call: Call; list: readonly Token[]; errors: FieldErrors },
): Html {
  return (
    <>
      {list.length === 0
        ? (
          <EmptyState text="No API tokens yet. Create one to use the REST API, GraphQL or the command line." />
        )
        : <Table caption="API tokens" rows={list} columns={columnsFor(call)} />}
      <details class="box" open={Object.keys(errors).length > 0}>
        <summary>New token</summary>
        <Form call={call} action="/profile/tokens/">
          <ErrorSummary errors={errors} shown={["description", "expires", "allowed_ips"]} />
          <TextField
            name="description"
            value={textOf(call.form, "description")}
            errors={errors}
            help="What the token is used for."
          />
          <TextField
            name="expires"
            type="datetime-local"
            value={call.form.has("expires")
              ? textOf(call.form, "expires")
              : formatDatetime(addDays(call.ctx.clock.now(), DEFAULT_DAYS)).slice(0, 16)}
            errors={errors}
            help="UTC. Empty: the token does not expire."
          />
          <TextArea
            name="allowed_ips"
            label="Allowed IP addresses"
            rows={2}
            value={textOf(call.form, "allowed_ips")}
            errors={errors}
            help="Addresses or networks (10.0.0.0/8), one per line. Leave empty to allow any address."
          />
          <Checkbox
            name="write_enabled"
            label="Allow changes"
            checked
            help="Without it, the token can only read."
          />
          <div class="form-actions">
            <button type="submit">Create token</button>
          </div>
        </Form>
      </details>
    </>
  );
}

/** Days after which a token expires unless the user chooses something else. */
const DEFAULT_DAYS = 30;

function columnsFor(call: Call): Parameters<typeof Table<Token>>[0]["columns"] {
  return [
    { label: "Key", cell: (row) => <code>{row.key_prefix}…</code> },
    { label: "Description", cell: (row) => row.description, layout: ["p2", "folds"] },
    { label: "Access", cell: (row) => <Access token={row} now={call.ctx.clock.now()} /> },
    {
      label: "Expires",
      cell: (row) => row.expires === null ? "never" : <Time at={row.expires} />,
      layout: ["p2"],
    },
    {
      label: "Last used",
      cell: (row) => row.last_used === null ? "never" : <Time at={row.last_used} />,
      layout: ["p2"],
    },
    {
      label: "Actions",
      layout: ["hidden-label"],
      cell: (row) => (
        <PostButton
          call={call}
          action={`/profile/tokens/${row.id}/revoke/`}
          label="Revoke"
          class="secondary small"
          spoken={`Revoke ${row.key_prefix}`}
        />
      ),
    },
  ];
}

/** Renders the state of a token: disabled, expired, read-only or enabled. */
function Access({ token, now }: { token: Token; now: number }): Html {
  if (!token.enabled) return <Badge value="disabled" tone="warn" />;
  if (token.expires !== null && hasPassed(token.expires, now)) return <Badge value="expired" />;
  return <Badge value={token.write_enabled ? "read and write" : "read only"} tone="info" />;
}
