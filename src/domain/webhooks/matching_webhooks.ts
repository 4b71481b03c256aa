/** Finds the webhooks that match events, by their conditions: filters that an object must match. */

import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { type Finding, textOf, within } from "../../base/findings.ts";
import { type Reader, select } from "../../db/mod.ts";
import { webhooks } from "../../db/schema/mod.ts";
import {
  compileCondition,
  type Condition,
  isEverything,
  noRegexes,
  parseFiltersObject,
  quoteInput,
} from "../../filters/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import type { Snapshot } from "../../changes/mod.ts";
import { webhookSubjects } from "./events.ts";
import { SNAPSHOT_ROWS, snapshotMap, snapshotRows } from "./snapshot_map.ts";

/**
 * Number of webhooks whose conditions one statement evaluates. With a hundred comparisons each, it stays
 * below a megabyte.
 */
const WEBHOOKS_PER_STATEMENT = 20;

/**
 * Regular expressions are refused, as in constraints of permissions, because every event would be matched
 * against them.
 */
const NO_REGEXES = noRegexes("in conditions");

/** Compiles conditions for objects of one type, or returns errors that name the filter. */
function compileConditions(
  ctx: Pick<Context, "database">,
  { conditions, subject }: { conditions: unknown; subject: Resource },
): { readonly condition: Condition } | { readonly faults: readonly Finding[] } {
  const { condition, errors } = parseFiltersObject(conditions, snapshotMap(ctx, subject), {
    regexes: NO_REGEXES,
  });
  return errors.length > 0 ? { faults: within(errors, quoteInput) } : { condition };
}

/** Returns the errors of conditions for any of these object types; each message names the type. */
export function conditionFaults(
  ctx: Pick<Context, "database">,
  { conditions, objectTypes }: { conditions: unknown; objectTypes: readonly string[] },
): Finding[] {
  return webhookSubjects().filter((one) => objectTypes.includes(one.objectType)).flatMap((subject) => {
    const result = compileConditions(ctx, { conditions, subject });
    return "faults" in result
      ? result.faults.map((one) => ({
        ...one,
        path: [[subject.objectType, ...one.path ?? []].join(": ")],
      }))
      : [];
  });
}

/** An event of an object, with the object as the change log records it. */
export interface Occurrence {
  /** Its id in the outbox. */
  readonly id: number;
  /** `certmgr.certificate`. */
  readonly objectType: string;
  /** `created`, `updated`, `deleted`, or another of the known events. */
  readonly event: string;
  readonly prechange: Snapshot | null;
  readonly postchange: Snapshot | null;
}

/** An enabled webhook, with its conditions compiled for an object type. */
interface Subscriber {
  readonly id: number;
  readonly events: readonly string[];
  readonly enabledAfter: number;
  readonly condition: Condition;
}

/** Reads the enabled webhooks in order. */
export async function enabledWebhooks(reader: Reader): Promise<StoredWebhook[]> {
  const { id, object_types, events, conditions, enabled_after } = webhooks;
  const stored = await reader.all(
    select({ id, object_types, events, conditions, enabled_after }).from(webhooks)
      .where(eq(webhooks.enabled, 1)).orderBy(asc(id)),
  );
  return stored.map((row) => ({
    id: row.id,
    objectTypes: JSON.parse(row.object_types),
    events: JSON.parse(row.events),
    conditions: row.conditions === null ? null : JSON.parse(row.conditions),
    enabledAfter: row.enabled_after,
  }));
}

/**
 * Returns whether one of the webhooks, which was enabled before the event, selects it for an object type. Its
 * conditions may still exclude the object.
 */
export function selectsEvent(
  stored: readonly StoredWebhook[],
  { id, objectType, event }: Pick<Occurrence, "id" | "objectType" | "event">,
): boolean {
  return stored.some(({ objectTypes, events, enabledAfter }) =>
    enabledAfter < id && objectTypes.includes(objectType) && events.includes(event)
  );
}

/**
 * Returns for each occurrence, by its index, the ids of the matching webhooks in order. Conditions apply to
 * the object after the change, or before its deletion. They are evaluated with the service's own permissions,
 * so that no referenced object is hidden. The number of statements depends on the webhooks (one for every
 * twenty with conditions, per object type), not on the occurrences.
 */
export async function matchingWebhooks(
  { ctx, reader, stored }: { ctx: Context; reader: Reader; stored: readonly StoredWebhook[] },
  occurrences: readonly Occurrence[],
): Promise<number[][]> {
  const matching: number[][] = occurrences.map(() => []);
  if (occurrences.length === 0) return matching;
  const groups = webhookSubjects().flatMap((subject) => groupsOf(ctx, { subject, stored, occurrences }));
  const results = await reader.batch(groups.flatMap(({ query }) => query ?? []));
  let next = 0;
  for (const { subscribers, indexes, query } of groups) {
    const rows = query === undefined ? undefined : results[next++];
    for (const [n, index] of indexes.entries()) {
      const { id: eventId = 0, event = "" } = occurrences[index] ?? {};
      for (const { id, events, enabledAfter } of subscribers) {
        const isSelected = enabledAfter < eventId && events.includes(event);
        if (isSelected && (rows === undefined || rows[n]?.[`w${id}`] === 1)) matching[index]?.push(id);
      }
    }
  }
  for (const ids of matching) ids.sort((a, b) => a - b);
  return matching;
}

/** An enabled webhook. */
export interface StoredWebhook {
  readonly id: number;
  readonly objectTypes: readonly string[];
  readonly events: readonly string[];
  readonly conditions: unknown;
  /** Id of the last event before it was enabled. */
  readonly enabledAfter: number;
}

/** The webhooks for an object type, and the indexes of its occurrences. */
interface SubscriberGroup {
  readonly subscribers: readonly Subscriber[];
  readonly indexes: readonly number[];
  /** Matches the occurrences against the conditions; undefined for webhooks without conditions. */
  readonly query?: SQL;
}

function groupsOf(
  ctx: Context,
  { subject, stored, occurrences }: {
    subject: Resource;
    stored: readonly StoredWebhook[];
    occurrences: readonly Occurrence[];
  },
): SubscriberGroup[] {
  const indexes = occurrences.flatMap((one, index) => one.objectType === subject.objectType ? [index] : []);
  if (indexes.length === 0) return [];
  const all = stored.flatMap((webhook) => subscriberOf(ctx, webhook, subject));
  const conditional = all.filter(({ condition }) => !isEverything(condition));
  const groups: SubscriberGroup[] = [{
    subscribers: all.filter(({ condition }) => isEverything(condition)),
    indexes,
  }];
  if (conditional.length === 0) return groups;
  const rows = snapshotRows(subject, indexes.flatMap((index) => occurrences[index] ?? []).map(snapshotOf));
  for (let start = 0; start < conditional.length; start += WEBHOOKS_PER_STATEMENT) {
    const subscribers = conditional.slice(start, start + WEBHOOKS_PER_STATEMENT);
    groups.push({ subscribers, indexes, query: matchingSql(ctx, { subject, rows, subscribers }) });
  }
  return groups;
}

/** Returns the snapshot that conditions are matched against. */
function snapshotOf({ event, prechange, postchange }: Occurrence): Snapshot {
  const snapshot = event === "deleted" ? prechange : postchange;
  if (snapshot === null) throw new Error(`Event "${event}" has no snapshot of its object`);
  return snapshot;
}

/**
 * Returns nothing if the webhook does not cover the object type, or if its conditions are no longer valid.
 */
function subscriberOf(ctx: Context, stored: StoredWebhook, subject: Resource): Subscriber[] {
  const { id, objectTypes, events, conditions, enabledAfter } = stored;
  if (!objectTypes.includes(subject.objectType)) return [];
  const result = compileConditions(ctx, { conditions, subject });
  if ("condition" in result) return [{ id, events, enabledAfter, condition: result.condition }];
  // Saved by a release with a filter that this one does not support. No event is sent, because sending every
  // event could disclose too much.
  ctx.log.log("warn", "webhook conditions", { webhook: id, faults: result.faults.map((one) => textOf(one)) });
  return [];
}

/** Selects one row per snapshot, in order, with a column for each webhook: 1 if its conditions match. */
function matchingSql(
  ctx: Context,
  { subject, rows, subscribers }: { subject: Resource; rows: SQL; subscribers: readonly Subscriber[] },
): SQL {
  const { criticalDays, warningDays } = ctx.settings;
  const context = {
    alias: SNAPSHOT_ROWS,
    now: ctx.clock.now(),
    userId: null,
    thresholds: { criticalDays, warningDays },
  };
  const map = snapshotMap(ctx, subject);
  const matches = subscribers.map(({ id, condition }) =>
    sql`(${compileCondition(condition, map, context)}) IS TRUE AS ${sql.identifier(`w${id}`)}`
  );
  return sql`WITH ${rows} SELECT ${sql.join(matches, sql`, `)} FROM ${
    sql.identifier(SNAPSHOT_ROWS)
  } ORDER BY n`;
}
