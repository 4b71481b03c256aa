/** Webhooks: URLs that are notified of changes. Their secrets are never returned. */

import { count, eq, getTableName, sql } from "drizzle-orm";
import { z } from "zod";
import { concerns, finding } from "../../base/findings.ts";
import { pacer } from "../../base/pace.ts";
import { SECRET_PREFIX } from "../../base/webhook_secret.ts";
import { type RowOf, select } from "../../db/mod.ts";
import { outbox, webhooks as table } from "../../db/schema/mod.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import {
  boolean,
  choice,
  choicesField,
  columnOf,
  datetime,
  defineResource,
  derived,
  type Draft,
  effectiveJson,
  integer,
  type Out,
  quote,
  refuse,
  text,
  unrecorded,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import { tagsField } from "../inventory/mod.ts";
import { WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES } from "./events.ts";
import { conditionsField, type HeaderInput, headersField, secretField } from "./fields.ts";
import { conditionFaults } from "./matching_webhooks.ts";

/** Maximum number of enabled webhooks, because each stores about 4 KB per matching event. */
export const MAX_WEBHOOKS = 100;

/** Size of a generated secret in bytes: the same as the hash of the signature. */
const GENERATED_BYTES = 32;

type WebhookRow = RowOf<typeof table>;
type WebhookInput = Values & {
  payload_url?: string;
  secret?: string | null;
  additional_headers?: HeaderInput;
  object_types?: string[];
};
type WebhookDraft = Draft<WebhookRow, WebhookInput>;
type WebhookStep = WriteStep<WebhookRow, WebhookInput>;

/** Validates and completes the drafts. At most one statement. */
async function prepareWebhooks(step: WebhookStep): Promise<void> {
  const { ctx, drafts } = step;
  const pause = pacer();
  for (const draft of drafts) {
    await pause();
    validateUrl(draft, ctx.settings.allowedTargets);
    fillSecret(draft);
    guardHeaderValues(draft);
    keepHeaderValues(draft);
    validateConditions(ctx, draft);
    resetFailures(draft);
  }
  // Last, because resetting the failures may enable a webhook.
  await enableWebhooks(step);
}

/**
 * Refuses forbidden URLs. Each attempt checks the URL again, with the addresses to which its host resolves.
 */
function validateUrl(draft: WebhookDraft, allowed: AllowedHosts): void {
  const { input, errors } = draft;
  if (input.payload_url === undefined || concerns(errors, "payload_url")) return;
  const fault = checkTarget(input.payload_url, allowed);
  if (fault !== undefined) refuse(draft, "payload_url", fault);
}

function fillSecret({ input, row, reveal, before }: WebhookDraft): void {
  if (input.secret === "" && before !== undefined) delete input.secret;
  if (input.secret !== null && input.secret !== "") return;
  const secret = SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(GENERATED_BYTES)).toBase64();
  reveal.secret = row.secret = secret;
}

/**
 * Binds stored header values to their origin (RFC 6454 §4). A user who may change a webhook cannot read them,
 * and must not be able to have them sent to another server. With another origin, they must be entered again
 * or removed.
 */
function guardHeaderValues(draft: WebhookDraft): void {
  const { input, before, errors } = draft;
  const { payload_url: url, additional_headers: given } = input;
  if (before === undefined || url === undefined || concerns(errors, "payload_url")) return;
  const [origin, former] = [url, before.payload_url].map((one) => URL.parse(one)?.origin);
  if (origin === former || Object.keys(storedHeaders(draft)).length === 0) return;
  if (given !== undefined && !Object.values(given).includes(null)) return;
  refuse(
    draft,
    "additional_headers",
    finding("headers_bound", { none: "{}" }),
  );
}

function storedHeaders({ before }: WebhookDraft): Record<string, string> {
  return JSON.parse(String(before?.additional_headers ?? "{}"));
}

/** Replaces nulls by the stored values. Headers that are equal to the stored ones are not a change. */
function keepHeaderValues(draft: WebhookDraft): void {
  const { input, before, errors } = draft;
  const { additional_headers: given } = input;
  if (given === undefined || concerns(errors, "additional_headers")) return;
  const stored = storedHeaders(draft);
  const names = new Map(Object.keys(stored).map((name) => [name.toLowerCase(), name]));
  const merged = Object.entries(given).map(([name, value]) => {
    const known = names.get(name.toLowerCase());
    if (value === null && known === undefined) {
      refuse(
        draft,
        "additional_headers",
        finding("header_not_stored", { value: quote(name) }),
      );
    }
    return [name, value ?? stored[known ?? ""]];
  });
  input.additional_headers = Object.fromEntries(merged);
  const same = before !== undefined && JSON.stringify(merged) === JSON.stringify(Object.entries(stored));
  if (same) delete input.additional_headers;
}

/** Validates the conditions for every object type of the webhook. */
function validateConditions(ctx: WebhookStep["ctx"], draft: WebhookDraft): void {
  const { errors, input } = draft;
  if (concerns(errors, "conditions") || concerns(errors, "object_types")) return;
  if (!("conditions" in input) && !("object_types" in input)) return;
  const objectTypes = effectiveJson(draft, "object_types");
  const conditions = effectiveJson(draft, "conditions") ?? null;
  for (const fault of conditionFaults(ctx, { conditions, objectTypes: objectTypes ?? [] })) {
    refuse(draft, "conditions", fault);
  }
}

/**
 * Resets the failures of a webhook that was fixed (new URL, secret or headers) or enabled. If the service
 * disabled it, a new URL enables it, because there was no receiver at the old one.
 */
function resetFailures({ input, row, before }: WebhookDraft): void {
  if (before === undefined) return;
  const moved = "payload_url" in input && input.payload_url !== before.payload_url;
  const isDisabledByService = before.disabled_reason !== "";
  if (moved && isDisabledByService && !("enabled" in input)) input.enabled = true;
  if ("enabled" in input) row.disabled_reason = "";
  const isFixed = moved || input.enabled === true || "secret" in input || "additional_headers" in input;
  if (isFixed) Object.assign(row, { failure_count: 0, probe_at: null });
}

/**
 * Refuses to enable more than `MAX_WEBHOOKS` webhooks, and excludes the events so far from those that are
 * enabled. Webhooks are counted in the write transaction, so that concurrent requests cannot exceed the limit
 * together. One statement if a webhook is created or enabled.
 */
async function enableWebhooks({ tx, drafts }: WebhookStep): Promise<void> {
  const added = drafts.filter((draft) => draft.input.enabled === true && !isEnabled(draft));
  if (added.length === 0) return;
  const removed = drafts.filter((draft) => draft.input.enabled === false && isEnabled(draft));
  const lastEvent = sql<number>`coalesce((SELECT seq FROM sqlite_sequence WHERE name = ${
    getTableName(outbox)
  }), 0)`;
  const [row] = await tx.all(
    select({ n: count(), lastEvent }).from(table).where(eq(table.enabled, 1)),
  );
  for (const draft of added) draft.row.enabled_after = row?.lastEvent ?? 0;
  const free = MAX_WEBHOOKS - (row?.n ?? 0) + removed.length;
  for (const draft of added.slice(Math.max(free, 0))) {
    refuse(draft, "enabled", finding("too_many_webhooks", { max: MAX_WEBHOOKS }));
  }
}

function isEnabled({ before }: WebhookDraft): boolean {
  return before?.enabled === 1;
}

const OBJECT_TYPE = "extras.webhook";
const BREAKER_STATES = ["closed", "open"] as const;

/**
 * Returns the state that the sender maintains. It depends on the receiver's responses, so the change log does
 * not record it.
 */
const STATE_FIELDS = [
  text("disabled_reason", {
    description: "Why the service disabled it; empty if it did not.",
    readOnly: true,
  }),
  unrecorded(integer("failure_count", { description: "Number of consecutive failures.", readOnly: true })),
  derived("breaker", {
    description:
      "`closed`: messages are sent without delay; `open`: after many consecutive failures, one at a time.",
    output: z.enum(BREAKER_STATES),
    needs: ["probe_at"],
    read: (row) => row.probe_at === null ? "closed" : "open",
    filters: {
      breaker: {
        kind: "predicate",
        type: "choice",
        choices: BREAKER_STATES,
        condition: (value, { alias }) => {
          const probe = columnOf(alias, "probe_at");
          return value === "open" ? sql`${probe} IS NOT NULL` : sql`${probe} IS NULL`;
        },
      },
    },
  }),
  unrecorded(datetime("probe_at", {
    description: "Time of the next attempt while the breaker is open; null while it is closed.",
    readOnly: true,
    nullable: true,
  })),
];

/**
 * `extras.webhook`. A user who may write webhooks can have every event sent to them, whatever objects they
 * may view, so the permission is meant for administrators.
 */
export const webhooks = defineResource({
  objectType: OBJECT_TYPE,
  path: "extras/webhooks",
  label: "webhook",
  written: { knownOnly: true },
  table,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 150 }),
    choicesField("object_types", {
      table,
      description: "Types of objects whose events are sent.",
      choices: WEBHOOK_OBJECT_TYPES,
    }),
    choicesField("events", { table, description: "Events that are sent.", choices: WEBHOOK_EVENTS }),
    text("payload_url", {
      description:
        "Where messages are sent: http or https, to a public host or one that the operator allows.",
      required: true,
      max: 2_000,
    }),
    { ...choice("http_method", { description: "HTTP method.", choices: ["POST"] }), fallback: "POST" },
    boolean("enabled", { description: "Whether messages are sent.", fallback: true }),
    secretField(),
    headersField(),
    conditionsField(),
    ...STATE_FIELDS,
    tagsField(OBJECT_TYPE),
  ],
  brief: ["name", "enabled"],
  search: { fields: ["name", "payload_url"] },
  unique: ["name"],
  hooks: { prepare: prepareWebhooks },
});

export type Webhook = Out<typeof webhooks>;
