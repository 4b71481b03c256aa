/** Evaluates conditions on snapshots, and as filters of the lists. */

import { sql } from "drizzle-orm";
import { insertRows } from "../../../src/db/mod.ts";
import { webhooks } from "../../../src/db/schema/mod.ts";
import {
  enabledWebhooks,
  matchingWebhooks,
  type Occurrence,
  WEBHOOK_EVENTS,
} from "../../../src/domain/webhooks/mod.ts";
import { compileCondition, mapIn, parseFiltersObject } from "../../../src/filters/mod.ts";
import { type Resource } from "../../../src/resource/mod.ts";
import type { TestApp } from "../../support/app.ts";
import { changeLog } from "../../support/change_log.ts";

export type Conditions = Record<string, unknown> | null;

/** Creates a webhook for each of the conditions, and returns their ids. */
export async function createWebhooks(
  { database }: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[]> {
  await database.write(async (tx) => {
    await tx.run(sql`DELETE FROM webhooks`);
    const rows = conditions.map((one, index) => ({
      id: index + 1,
      name: `Webhook ${index}`,
      object_types: JSON.stringify([resource.objectType]),
      events: JSON.stringify(WEBHOOK_EVENTS),
      payload_url: "https://hooks.example/",
      conditions: one === null ? null : JSON.stringify(one),
      created: 0,
      last_updated: 0,
    }));
    await tx.run(insertRows(webhooks, rows));
  });
  return conditions.map((_, index) => index + 1);
}

/** Returns the newest change of each object of a resource as an event, and the ids of the objects. */
export async function newest(
  { database }: TestApp,
  { objectType }: Resource,
): Promise<{ ids: number[]; occurrences: Occurrence[] }> {
  const changes = (await changeLog(database)).filter(({ object_type }) => object_type === objectType);
  const rows = [...new Map(changes.map((change) => [change.object_id, change])).values()]
    .sort((a, b) => a.object_id - b.object_id);
  const occurrences = rows.map(({ action, prechange, postchange }, index) => ({
    id: index + 1,
    objectType,
    event: `${action}d`,
    prechange: JSON.parse(String(prechange ?? null)),
    postchange: JSON.parse(String(postchange ?? null)),
  }));
  return { ids: rows.map((row) => row.object_id), occurrences };
}

/** Returns the rows that the list's own filters select, for each of the conditions. */
export async function selected(
  { ctx, database }: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[][]> {
  const map = mapIn(ctx, resource.map);
  const { criticalDays, warningDays } = ctx.settings;
  const context = {
    alias: map.table,
    now: ctx.clock.now(),
    userId: null,
    thresholds: { criticalDays, warningDays },
  };
  const queries = conditions.map((one) =>
    sql`SELECT id FROM ${resource.table} WHERE ${
      compileCondition(parseFiltersObject(one, map).condition, map, context)
    } ORDER BY id`
  );
  const results = await database.batch(queries);
  return results.map((rows) => rows.map((row) => row.id as number));
}

/** Returns the snapshots that the conditions select. */
export async function matches(
  app: TestApp,
  resource: Resource,
  conditions: readonly Conditions[],
): Promise<number[][]> {
  const webhookIds = await createWebhooks(app, resource, conditions);
  const { ids, occurrences } = await newest(app, resource);
  const { ctx, database: reader } = app;
  const stored = await enabledWebhooks(reader);
  const matching = await matchingWebhooks({ ctx, reader, stored }, occurrences);
  const selected = new Map<number, number[]>(webhookIds.map((id) => [id, []]));
  for (const [place, expected] of matching.entries()) {
    for (const id of expected) selected.get(id)?.push(ids[place] as number);
  }
  return [...selected.values()];
}
