/** Validates subscriptions, and schedules their next message. */

import { concerns, finding } from "../../base/findings.ts";
import { inArray, max } from "drizzle-orm";
import { idsIn, named, type RowOf, select } from "../../db/mod.ts";
import { notice_events, notification_channels, subscriptions as table, users } from "../../db/schema/mod.ts";
import { type Draft, effectiveJson, refuse, type Values, type WriteStep } from "../../resource/mod.ts";
import { validateFilters } from "../certificates/calendar/resource.ts";
import { keepQuota } from "../accounts/users/keep_quota.ts";
import { type Mode, nextDigest } from "./load_subscriptions.ts";

/**
 * Maximum number of subscriptions per user, and of recipients per subscription, because each may become a
 * message.
 */
export const MAX_SUBSCRIPTIONS_PER_USER = 50;
export const MAX_RECIPIENTS = 20;

/** Fields that decide what is sent to whom, and when. */
const SCHEDULE = ["mode", "at", "time_zone", "enabled", "events", "filter", "thresholds"];

type SubscriptionRow = RowOf<typeof table> & { readonly mode: Mode };
type SubscriptionInput = Values & {
  user?: number | null;
  channel?: number | null;
  mode?: Mode;
  at?: string;
  time_zone?: string;
  recipients?: string[];
};
type SubscriptionDraft = Draft<SubscriptionRow, SubscriptionInput>;
type SubscriptionStep = WriteStep<SubscriptionRow, SubscriptionInput>;

/** Validates the drafts. At most five statements. */
export async function prepareSubscriptions(step: SubscriptionStep): Promise<void> {
  const { ctx, tx, drafts } = step;
  for (const draft of drafts) {
    fillUser(draft, step);
    requireOwn(draft, step);
    validateEscalation(draft);
  }
  validateFilters(step);
  await validateRecipients(step);
  const isNew = drafts.some(({ before }) => before === undefined);
  const [last] = isNew ? await tx.all(select({ id: max(notice_events.id) }).from(notice_events)) : [];
  const now = ctx.clock.now();
  for (const draft of drafts) {
    const { before, input, row } = draft;
    if (before === undefined) row.last_event_id = last?.id ?? 0;
    if (draft.errors.length > 0) continue;
    if (before !== undefined && !SCHEDULE.some((field) => field in input)) continue;
    const { mode = "immediate", at = "", time_zone: timeZone = "" } = { ...before, ...input };
    row.next_run = mode === "immediate" ? now : nextDigest({ mode, at, timeZone }, now);
  }
  await keepQuota(
    {
      ctx,
      tx,
      drafts: drafts.map((draft) => ({ ...draft, input: { user: userOf(draft), ...draft.input } })),
    },
    { table, most: MAX_SUBSCRIPTIONS_PER_USER, noun: "subscriptions" },
  );
}

function userOf({ input, before }: SubscriptionDraft): number | undefined {
  const user = input.user ?? before?.user_id;
  return typeof user === "number" ? user : undefined;
}

function fillUser(draft: SubscriptionDraft, { ctx }: SubscriptionStep): void {
  if (draft.before !== undefined || "user" in draft.input || concerns(draft.errors, "user")) return;
  if (ctx.actor.userId === null) refuse(draft, "user", finding("required"));
  else draft.input.user = ctx.actor.userId;
}

/** Fields that decide who gets the messages. */
const AUDIENCE = ["user", "channel", "recipients"];

/**
 * Only superusers may create subscriptions for other users, or change where these send. Messages contain what
 * their user may view, so nobody else must be able to redirect them.
 */
function requireOwn(draft: SubscriptionDraft, { ctx }: SubscriptionStep): void {
  const { actor } = ctx;
  if (actor.isSuperuser) return;
  const { input, before } = draft;
  const users = [input.user, before?.user_id].filter((user) => typeof user === "number");
  if (users.every((user) => user === actor.userId)) return;
  const redirected = AUDIENCE.filter((field) => field in input && !isStored(draft, field));
  if (before !== undefined && redirected.length === 0) return;
  refuse(
    draft,
    redirected[0] ?? "user",
    finding("recipients_of_superusers"),
  );
}

/** Returns whether a field is written back unchanged. */
function isStored({ input, before }: SubscriptionDraft, field: string): boolean {
  if (field === "recipients") {
    const stored: string[] = JSON.parse(before?.recipients ?? "[]");
    return String(input.recipients?.toSorted()) === String(stored.sort());
  }
  return input[field] === before?.[`${field}_id`];
}

function validateEscalation(draft: SubscriptionDraft): void {
  const { input, before } = draft;
  const target = "escalate_to" in input ? input.escalate_to : before?.escalate_to_id;
  const days = "escalate_after_days" in input ? input.escalate_after_days : before?.escalate_after_days;
  if (target !== undefined && target === draft.id && before !== undefined) {
    refuse(draft, "escalate_to", finding("escalates_to_itself"));
  }
  if (typeof target === "number" && typeof days !== "number") {
    refuse(draft, "escalate_after_days", finding("required"));
  }
}

/** Validates recipients: only e-mail has them, and without any the user needs an address. Two statements. */
async function validateRecipients({ tx, drafts }: SubscriptionStep): Promise<void> {
  const written = drafts.filter(({ input, before, errors }) =>
    (before === undefined || ["recipients", "channel", "user"].some((field) => field in input)) &&
    !concerns(errors, "recipients") && !concerns(errors, "channel") && !concerns(errors, "user")
  );
  if (written.length === 0) return;
  const channelOf = ({ input, before }: SubscriptionDraft): unknown =>
    "channel" in input ? input.channel : before?.channel_id ?? null;
  const numbers = (values: readonly unknown[]): number[] =>
    values.filter((value) => typeof value === "number");
  const kinds = new Map(
    (await tx.all(
      select({ id: notification_channels.id, kind: notification_channels.kind }).from(notification_channels)
        .where(inArray(notification_channels.id, idsIn(numbers(written.map(channelOf))))),
    )).map(({ id, kind }) => [id, kind]),
  );
  const addresses = new Map(
    (await tx.all(
      select(named({ id: users.id, email: users.email })).from(users)
        .where(inArray(users.id, idsIn(numbers(written.map(userOf))))),
    )).map(({ id, email }) => [id, email]),
  );
  for (const draft of written) {
    const recipients = effectiveJson(draft, "recipients") ?? [];
    const channel = channelOf(draft);
    const kind = typeof channel === "number" ? kinds.get(channel) : undefined;
    if (channel === null && recipients.length > 0) {
      refuse(draft, "channel", finding("recipients_without_channel"));
    } else if (kind !== undefined && kind !== "email" && recipients.length > 0) {
      refuse(draft, "recipients", finding("recipients_unused", { kind }));
    } else if ((channel === null || kind === "email") && recipients.length === 0) {
      const user = userOf(draft);
      if (user !== undefined && addresses.get(user) === "") {
        const [field, otherwise] = channel === null
          ? ["channel", "choose an e-mail channel and recipients"] as const
          : ["recipients", "specify recipients"] as const;
        refuse(draft, field, finding("no_user_address", { otherwise }));
      }
    }
  }
}
