/** Previews the next message of a subscription that is being edited. */

import type { Context } from "../../auth/mod.ts";
import { AppError } from "../../base/errors.ts";
import type { Millis } from "../../base/clock.ts";
import { parseFeedFilter } from "../certificates/calendar/resource.ts";
import { collectDue, sharedReads } from "./collect_due.ts";
import { describeDue } from "./describe_due.ts";
import { NOTICE_EVENT_NAMES } from "./event_names.ts";
import { type LoadedSubscription, MODES, nextDigest, type Schedule } from "./load_subscriptions.ts";
import { MAX_LISTED_NOTICES, subjectOf } from "./message.ts";
import { subscriptions } from "./subscriptions.ts";

/** Fields of a subscription that decide what a message says, before their validation. */
const FIELDS = ["events", "thresholds", "filter", "mode", "at", "time_zone"] as const;
export type PreviewInput = Readonly<Record<typeof FIELDS[number], unknown>>;

/** Number of notices that a preview shows. */
const SHOWN = 10;

/** The next message, or why there is none. */
export interface SubscriptionPreview {
  readonly at: Millis;
  /** Empty if nothing would be reported. */
  readonly subject: string;
  /** The first notices, a sentence each. */
  readonly notices: readonly string[];
  /** Number of further notices. */
  readonly more: number;
}

/**
 * Returns what the first message of a new subscription with these values would say, with the permissions of the caller:
 * the expiries until then, and no earlier events. Stores nothing. Undefined if a value is invalid.
 */
export async function previewSubscription(
  ctx: Context,
  given: PreviewInput,
): Promise<SubscriptionPreview | undefined> {
  const values = new Map<string, unknown>();
  for (const name of FIELDS) {
    const read = subscriptions.fields[name]?.input?.safeParse(given[name]);
    if (read?.success !== true) return undefined;
    values.set(name, read.data);
  }
  const { errors } = parseFeedFilter(ctx, String(values.get("filter")));
  if (Object.keys(errors).length > 0) return undefined;
  const now = ctx.clock.now();
  const events: readonly unknown[] = [values.get("events")].flat();
  const schedule: Schedule = {
    mode: MODES.find((mode) => mode === values.get("mode")) ?? "daily",
    at: String(values.get("at")),
    timeZone: String(values.get("time_zone")),
  };
  const at = schedule.mode === "immediate" ? now : nextDigest(schedule, now);
  const subscription: LoadedSubscription = {
    ...schedule,
    id: 0,
    name: "",
    userId: ctx.actor.userId ?? 0,
    email: "",
    channelId: null,
    kind: "email",
    recipients: [],
    events: NOTICE_EVENT_NAMES.filter((name) => events.includes(name)),
    filter: String(values.get("filter")),
    thresholds: [values.get("thresholds")].flat().map(String),
    nextRun: at,
    // After all events so far.
    lastEventId: Number.MAX_SAFE_INTEGER,
    created: now,
  };
  const then: Context = { ...ctx, clock: { now: (): Millis => at } };
  try {
    const due = await collectDue(then, subscription, {
      thresholds: true,
      shared: sharedReads(ctx.database),
    });
    const described = await describeDue(then, due.notices.slice(0, MAX_LISTED_NOTICES));
    const beyond = Math.max(due.notices.length - MAX_LISTED_NOTICES, 0);
    const notices = described.slice(0, SHOWN).map(({ title }) => title);
    return {
      at,
      subject: described.length === 0 ? "" : subjectOf({ notices: described, more: beyond }),
      notices,
      more: described.length - notices.length + beyond,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return undefined;
    throw error;
  }
}
