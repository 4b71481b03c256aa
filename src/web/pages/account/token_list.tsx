/** A user's own API tokens. */

import { listText } from "../../../base/amounts.ts";
import { addDays, formatDatetime, hasPassed } from "../../../base/clock.ts";
import { type FieldErrors, invalid } from "../../../base/errors.ts";
import { type Token, tokens } from "../../../domain/accounts/tokens/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  Badge,
  Checkbox,
  EmptyState,
  ErrorSummary,
  Form,
  type Html,
  Select,
  Table,
  TextArea,
  TextField,
  Time,
} from "../../kit/components/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { readRows } from "../../kit/mod.ts";

/** Returns the user's tokens, the newest first. */
export async function ownTokens(call: Call): Promise<readonly Token[]> {
  const params = { user_id: String(call.ctx.actor.userId), ordering: "-id", limit: 0 };
  return (await readRows(call.ctx, tokens, { params })).rows;
}

/** Renders the tokens, and the form for a new one. */
export function TokenList(
  { call, list, errors = {} }: { call: Call; list: readonly Token[]; errors?: FieldErrors },
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
          <ErrorSummary errors={errors} shown={["description", "expires_in", "expires", "allowed_ips"]} />
          <TextField
            name="description"
            value={textOf(call.form, "description")}
            errors={errors}
            help="What the token is used for."
          />
          <ExpiryFields call={call} errors={errors} />
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

/** Lifetimes that the form offers, the first one by default: a number of days, a date, or none. */
const LIFETIMES = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["date", "On a date"],
  ["never", "Never"],
] as const;

function ExpiryFields({ call: { form }, errors }: { call: Call; errors: FieldErrors }): Html {
  return (
    <>
      <Select
        name="expires_in"
        label="Expires"
        value={textOf(form, "expires_in") || LIFETIMES[0][0]}
        options={LIFETIMES}
        errors={errors}
      />
      <fieldset data-shown-for="expires_in" data-shown-values="date" data-left-out="true">
        <TextField
          name="expires"
          label="Expires on"
          type="datetime-local"
          value={textOf(form, "expires")}
          errors={errors}
          help="UTC. Only for a token that expires on a date."
        />
      </fieldset>
    </>
  );
}

/** Returns the posted time of expiry, null for a token that does not expire. Errors: invalid. */
export function postedExpiry({ ctx, form }: Call): string | null {
  const chosen = textOf(form, "expires_in");
  const date = textOf(form, "expires").trim();
  if (!LIFETIMES.some(([value]) => value === chosen)) {
    const names = listText(LIFETIMES.map(([, label]) => quote(label)), "or");
    throw invalid({ expires_in: [`Choose ${names}.`] });
  }
  if (chosen === "date") {
    if (date === "") throw invalid({ expires: ["Enter the date on which the token expires."] });
    return date;
  }
  if (date !== "") {
    throw invalid({ expires: ['Clear this date, or choose "On a date".'] });
  }
  return chosen === "never" ? null : formatDatetime(addDays(ctx.clock.now(), Number(chosen)));
}

function columnsFor(call: Call): Parameters<typeof Table<Token>>[0]["columns"] {
  return [
    {
      label: "Key",
      cell: (row) => <code>{row.key_prefix}…</code>,
    },
    { label: "Description", cell: (row) => row.description, layout: ["p2"], under: (row) => row.description },
    {
      label: "Access",
      cell: (row) => <Access token={row} now={call.ctx.clock.now()} />,
    },
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
        <Form call={call} action={`/profile/tokens/${row.id}/revoke/`} class="inline">
          <button type="submit" class="secondary small" aria-label={`Revoke ${row.key_prefix}`}>
            Revoke
          </button>
        </Form>
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
