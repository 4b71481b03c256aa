/** Which webhooks want to hear of what happened. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { WEBHOOKS_PER_STATEMENT } from "../../base/limits.ts";
import type { Reader } from "../../db/mod.ts";
import { compileCondition, type Condition, isEverything } from "../../filters/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { compileConditions } from "./conditions.ts";
import { WEBHOOK_SUBJECTS } from "./events.ts";
import { type Snapshot, SNAPSHOT_ROWS, snapshotMap, snapshotRows } from "./snapshot_map.ts";

/** One event of an object, with the object as the change log keeps it. */
export interface Occurrence {
  /** `certmgr.certificate`. */
  readonly objectType: string;
  /** `created`, `updated`, `deleted`, or another name out of the list of events. */
  readonly event: string;
  readonly prechange: Snapshot | null;
  readonly postchange: Snapshot | null;
}

/** A webhook that is switched on, with what its conditions mean for one type of objects. */
interface Listener {
  readonly id: number;
  readonly events: readonly string[];
  readonly condition: Condition;
}

/**
 * The ids of the enabled webhooks that want each occurrence, in order, by its place in the list. Conditions are judged
 * on the object after the change, or before its deletion; for the service itself, so that nothing is hidden from them.
 * The number of statements depends on the webhooks (one, and one for each twenty with conditions and type of objects),
 * not on the occurrences.
 */
export async function matchingWebhooks(
  { ctx, reader }: { ctx: Context; reader: Reader },
  occurrences: readonly Occurrence[],
): Promise<number[][]> {
  const matching: number[][] = occurrences.map(() => []);
  if (occurrences.length === 0) return matching;
  const stored = await reader.all<StoredWebhook>(
    sql`SELECT id, object_types, events, conditions FROM webhooks WHERE enabled = 1 ORDER BY id`,
  );
  const judgements = WEBHOOK_SUBJECTS.flatMap((subject) => judge(ctx, { subject, stored, occurrences }));
  const results = await reader.batch(judgements.flatMap(({ query }) => query ?? []));
  let next = 0;
  for (const { listeners, places, query } of judgements) {
    const rows = query === undefined ? undefined : results[next++];
    for (const [n, place] of places.entries()) {
      for (const { id, events } of listeners) {
        const wanted = events.includes(occurrences[place]?.event ?? "");
        if (wanted && (rows === undefined || rows[n]?.[`w${id}`] === 1)) matching[place]?.push(id);
      }
    }
  }
  for (const ids of matching) ids.sort((a, b) => a - b);
  return matching;
}

interface StoredWebhook {
  readonly id: number;
  readonly object_types: string;
  readonly events: string;
  readonly conditions: string | null;
}

/** Some listeners, the places of the occurrences that they are asked about, and the statement that asks; none is "all". */
interface Judgement {
  readonly listeners: readonly Listener[];
  readonly places: readonly number[];
  readonly query?: SQL;
}

function judge(
  ctx: Context,
  { subject, stored, occurrences }: {
    subject: Resource;
    stored: readonly StoredWebhook[];
    occurrences: readonly Occurrence[];
  },
): Judgement[] {
  const places = occurrences.flatMap((one, place) => one.objectType === subject.objectType ? [place] : []);
  if (places.length === 0) return [];
  const listeners = stored.flatMap((webhook) => listenerOf(ctx, webhook, subject));
  const judged = places.map((place) => snapshotOf(occurrences[place] as Occurrence));
  const rows = snapshotRows(subject, judged);
  const picky = listeners.filter(({ condition }) => !isEverything(condition));
  const judgements: Judgement[] = [{
    listeners: listeners.filter(({ condition }) => isEverything(condition)),
    places,
  }];
  for (let start = 0; start < picky.length; start += WEBHOOKS_PER_STATEMENT) {
    const some = picky.slice(start, start + WEBHOOKS_PER_STATEMENT);
    judgements.push({ listeners: some, places, query: judgingSql(ctx, { subject, rows, listeners: some }) });
  }
  return judgements;
}

/** What the conditions are judged on. */
function snapshotOf({ event, prechange, postchange }: Occurrence): Snapshot {
  const snapshot = event === "deleted" ? prechange : postchange;
  if (snapshot === null) throw new Error(`Event "${event}" has no snapshot to be judged by`);
  return snapshot;
}

/** Nothing where the webhook does not listen to the type, or where its conditions no longer mean anything. */
function listenerOf(ctx: Context, stored: StoredWebhook, subject: Resource): Listener[] {
  if (!(JSON.parse(stored.object_types) as string[]).includes(subject.objectType)) return [];
  const conditions = stored.conditions === null ? null : JSON.parse(stored.conditions);
  const result = compileConditions(conditions, subject);
  if ("condition" in result) {
    return [{ id: stored.id, events: JSON.parse(stored.events), condition: result.condition }];
  }
  // Saved by a release that knew a filter which this one does not: to send everything could tell too much.
  ctx.log.log("warn", "webhook conditions", { webhook: stored.id, faults: result.faults });
  return [];
}

/** One row for each snapshot, in order, and in it a column for each listener. */
function judgingSql(
  ctx: Context,
  { subject, rows, listeners }: { subject: Resource; rows: SQL; listeners: readonly Listener[] },
): SQL {
  const { criticalDays, warningDays } = ctx.settings;
  const context = {
    alias: SNAPSHOT_ROWS,
    now: ctx.clock.now(),
    userId: null,
    thresholds: { criticalDays, warningDays },
  };
  const map = snapshotMap(subject);
  const verdicts = listeners.map(({ id, condition }) =>
    sql`(${compileCondition(condition, map, context)}) IS TRUE AS ${sql.identifier(`w${id}`)}`
  );
  return sql`WITH ${rows} SELECT ${sql.join(verdicts, sql`, `)} FROM ${
    sql.identifier(SNAPSHOT_ROWS)
  } ORDER BY n`;
}
