/** Validates and completes webhooks, limits their number, and resets the failures of those that were fixed. */

import { count, eq, getTableName, sql } from "drizzle-orm";
import { pacer } from "../../base/pace.ts";
import { SECRET_PREFIX } from "../../base/webhook_secret.ts";
import { type RowOf, select } from "../../db/mod.ts";
import { outbox, webhooks } from "../../db/schema/mod.ts";
import { type AllowedHosts, checkTarget } from "../../http/mod.ts";
import { type Draft, effectiveJson, quote, refuse, type Values, type WriteStep } from "../../resource/mod.ts";
import { conditionFaults } from "./conditions.ts";
import type { HeaderInput } from "./fields.ts";
import { MAX_WEBHOOKS } from "./limits.ts";

/** Size of a generated secret in bytes: the same as the hash of the signature. */
const GENERATED_BYTES = 32;

type WebhookRow = RowOf<typeof webhooks>;
type WebhookInput = Values & {
  payload_url?: string;
  secret?: string | null;
  additional_headers?: HeaderInput;
  object_types?: string[];
};
type WebhookDraft = Draft<WebhookRow, WebhookInput>;
type WebhookStep = WriteStep<WebhookRow, WebhookInput>;

/** Validates and completes the drafts. At most one statement. */
export async function prepareWebhooks(step: WebhookStep): Promise<void> {
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
  if (input.payload_url === undefined || errors.payload_url !== undefined) return;
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
  if (before === undefined || url === undefined || errors.payload_url !== undefined) return;
  const [origin, former] = [url, before.payload_url].map((one) => URL.parse(one)?.origin);
  if (origin === former || Object.keys(storedHeaders(draft)).length === 0) return;
  if (given !== undefined && !Object.values(given).includes(null)) return;
  refuse(
    draft,
    "additional_headers",
    "Stored values are not sent to another origin. Enter all values again with the new URL, or {} for none.",
  );
}

function storedHeaders({ before }: WebhookDraft): Record<string, string> {
  return JSON.parse(String(before?.additional_headers ?? "{}"));
}

/** Replaces nulls by the stored values. Headers that are equal to the stored ones are not a change. */
function keepHeaderValues(draft: WebhookDraft): void {
  const { input, before, errors } = draft;
  const { additional_headers: given } = input;
  if (given === undefined || errors.additional_headers !== undefined) return;
  const stored = storedHeaders(draft);
  const names = new Map(Object.keys(stored).map((name) => [name.toLowerCase(), name]));
  const merged = Object.entries(given).map(([name, value]) => {
    const known = names.get(name.toLowerCase());
    if (value === null && known === undefined) {
      refuse(
        draft,
        "additional_headers",
        `${quote(name)}: No value is stored under this name. Enter one.`,
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
  if (errors.conditions !== undefined || errors.object_types !== undefined) return;
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
    select({ n: count(), lastEvent }).from(webhooks).where(eq(webhooks.enabled, 1)),
  );
  for (const draft of added) draft.row.enabled_after = row?.lastEvent ?? 0;
  const free = MAX_WEBHOOKS - (row?.n ?? 0) + removed.length;
  for (const draft of added.slice(Math.max(free, 0))) {
    refuse(draft, "enabled", `At most ${MAX_WEBHOOKS} webhooks can be enabled. Disable or delete one first.`);
  }
}

function isEnabled({ before }: WebhookDraft): boolean {
  return before?.enabled === 1;
}
