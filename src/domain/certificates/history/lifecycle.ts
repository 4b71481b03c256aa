/** Reads the history of a certificate from the change log. */

import { addFinding, type Finding, finding } from "../../../base/findings.ts";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { authorize, type Context, permittedIds, restrictionSql, visible } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { isSameValue, readSnapshots, SNAPSHOTS } from "../../../changes/mod.ts";
import { andAll, readBatch } from "../../../db/mod.ts";
import { object_changes } from "../../../db/schema/mod.ts";
import { isDictionary, isEverything } from "../../../filters/mod.ts";
import {
  ALWAYS_KNOWN,
  CUSTOM_COLUMN,
  customFieldsOf,
  type Resource,
  resourceOfType,
  unexpected,
  type Values,
} from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";

export const LifecycleEntry = z.object({
  id: z.int(),
  time: z.string(),
  action: z.string(),
  username: z.string(),
  request_id: z.string(),
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).describe(
    "Empty for the creation.",
  ),
  status: z.string().describe("The status after this step."),
});
export type LifecycleEntry = z.infer<typeof LifecycleEntry>;

/** A page of the history. */
export interface LifecyclePage {
  readonly count: number;
  readonly limit: number;
  readonly offset: number;
  /** Whether the history begins with the creation; older entries may have been deleted. */
  readonly complete: boolean;
  readonly results: LifecycleEntry[];
}

/**
 * Returns the history, oldest entry first. Errors: forbidden, not_found, invalid. Two statements, and one for
 * each object type of which the caller may view only some objects.
 */
export async function certificateLifecycle(
  { ctx, id, params }: { ctx: Context; id: number; params: URLSearchParams },
): Promise<LifecyclePage> {
  const { map, objectType } = certificates;
  const allowed = authorize(ctx, "view", map);
  const { limit, offset } = readPage(params, ctx);
  const seen = restrictionSql(ctx, allowed, { map });
  // Entries that concern only hidden objects behave as if they did not exist. All entries must be read to
  // find them.
  const readsAll = hidesReferences(ctx);
  const [exists, rows] = await readBatch(ctx.database, [
    sql<
      { n: number; first: string | null }
    >`SELECT (SELECT count(*) FROM object_changes WHERE object_type = ${objectType} AND object_id = ${id}) AS n,
          (SELECT action FROM object_changes WHERE object_type = ${objectType} AND object_id = ${id} ORDER BY id LIMIT 1)
            AS first
        FROM certificates WHERE ${andAll(sql`certificates.id = ${id}`, seen)}`,
    sql<
      ChangeRow
    >`SELECT id, time, action, username, request_id, ${SNAPSHOTS} AS snapshots FROM ${object_changes}
        WHERE object_type = ${objectType} AND object_id = ${id} ORDER BY id${
      readsAll ? sql`` : sql` LIMIT ${limit} OFFSET ${offset}`
    }`,
  ]);
  if (exists[0] === undefined) throw notFound();
  const steps = rows.map(entryOf);
  const { n: count, first } = exists[0];
  const page = { limit, offset, complete: first === "create" };
  if (!readsAll) return { count, ...page, results: steps };
  const results = await withoutHidden(ctx, steps);
  return { count: results.length, ...page, results: results.slice(offset, offset + limit) };
}

/** Hides references to hidden objects, and leaves out entries that contain no other change. */
async function withoutHidden(ctx: Context, steps: readonly LifecycleEntry[]): Promise<LifecycleEntry[]> {
  const changed = steps.filter(({ changes }) => Object.keys(changes).length > 0);
  await hideReferences(ctx, changed.map(({ changes }) => changes));
  const emptied = new Set(changed.filter(({ changes }) => Object.keys(changes).length === 0));
  return steps.filter((step) => !emptied.has(step));
}

/** A change record. */
type ChangeRow =
  & Record<"action" | "username" | "request_id" | "snapshots", string>
  & Record<"id" | "time", number>;

function entryOf({ id, time, action, username, request_id, snapshots }: ChangeRow): LifecycleEntry {
  const { prechange: before, postchange: after } = readSnapshots(snapshots);
  return {
    id,
    time: formatDatetime(time),
    action,
    username,
    request_id,
    changes: before === null || after === null ? {} : differences(before, after),
    status: String((after ?? before)?.status ?? ""),
  };
}

function differences(
  before: Values,
  after: Values,
): Changes {
  const changes: Changes = {};
  for (const name of Object.keys(after)) {
    if (name === "last_updated" || isSameValue(before[name], after[name])) continue;
    changes[name] = { from: before[name] ?? null, to: after[name] ?? null };
  }
  return changes;
}

function readPage(params: URLSearchParams, { settings }: Context): { limit: number; offset: number } {
  const errors: Finding[] = [];
  for (const [name, value] of params) {
    if (ALWAYS_KNOWN.includes(name)) continue;
    if (name !== "limit" && name !== "offset") {
      addFinding(errors, name, finding("unknown_parameter", { only: ["limit", "offset"] }));
    } else if (!/^\d{1,15}$/.test(value)) {
      addFinding(errors, name, unexpected("a whole number of 0 or more", value));
    }
  }
  if (errors.length > 0) throw invalid(errors);
  const limit = Number(params.get("limit") ?? settings.defaultPageSize);
  return {
    limit: limit === 0 ? settings.maxPageSize : Math.min(limit, settings.maxPageSize),
    offset: Number(params.get("offset") ?? 0),
  };
}

/** Changed fields of an entry. */
type Changes = Record<string, { from: unknown; to: unknown }>;

/** Returns whether objects to which a certificate can refer may be hidden from the caller. */
function hidesReferences(ctx: Context): boolean {
  const custom = customTargets(ctx).map(([, target]) => target);
  const targets = Object.values(certificates.fields).flatMap(({ refers }) => refers?.target?.() ?? []);
  return [...targets, ...custom].some(({ map }) => !isEverything(visible(ctx, map)));
}

/** Returns the custom fields that refer to objects, with the resources of these. */
function customTargets({ database }: Context): [name: string, target: Resource][] {
  return customFieldsOf(database, certificates.objectType).flatMap(({ name, type, relatedType }) => {
    const target = type === "object" ? resourceOfType(relatedType ?? "") : undefined;
    return target === undefined ? [] : [[name, target]];
  });
}

/** Replaces the ids of hidden objects in values of custom fields by null. */
async function hideCustomReferences(ctx: Context, steps: readonly Changes[]): Promise<void> {
  const values = steps.flatMap(({ [CUSTOM_COLUMN]: change }) => [change?.from, change?.to])
    .filter(isDictionary);
  for (const [name, { map }] of customTargets(ctx)) {
    const ids = [...new Set(values.map((value) => value[name]).filter((id) => typeof id === "number"))];
    const seen = await permittedIds({ ctx, reader: ctx.database }, { action: "view", map, ids });
    for (const value of values) if (!seen.has(Number(value[name]))) value[name] = null;
  }
  for (const step of steps) dropEqual(step, CUSTOM_COLUMN);
}

function dropEqual(step: Changes, name: string): void {
  const change = step[name];
  if (change !== undefined && JSON.stringify(change.from) === JSON.stringify(change.to)) delete step[name];
}

/**
 * Removes the ids of hidden objects from lists, and replaces single ids by null. Removes a change if both
 * sides are equal after that.
 */
async function hideReferences(ctx: Context, steps: readonly Changes[]): Promise<void> {
  for (const { name, refers: { target } = {} } of Object.values(certificates.fields)) {
    const changes = steps.flatMap((step) => step[name] ?? []);
    if (target === undefined || changes.length === 0) continue;
    const ids = changes.flatMap(({ from, to }) => [from, to].flat()).filter((id) => typeof id === "number");
    const seen = await permittedIds({ ctx, reader: ctx.database }, {
      action: "view",
      map: target().map,
      ids: [...new Set(ids)],
    });
    const shown = (id: unknown): boolean => typeof id === "number" && seen.has(id);
    for (const change of changes) {
      for (const side of ["from", "to"] as const) {
        const value = change[side];
        change[side] = Array.isArray(value) ? value.filter(shown) : shown(value) ? value : null;
      }
    }
    for (const step of steps) dropEqual(step, name);
  }
  await hideCustomReferences(ctx, steps);
}
