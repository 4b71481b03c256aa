/** Reads the history of a certificate from the change log. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { authorize, type Context, restrictionSql } from "../../../auth/mod.ts";
import { addError, type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { isSameValue, readSnapshots, SNAPSHOTS } from "../../../changes/mod.ts";
import { andAll, readBatch } from "../../../db/mod.ts";
import { object_changes } from "../../../db/schema/mod.ts";
import { ALWAYS_KNOWN, quote, type Values } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { type Changes, hideReferences, hidesReferences } from "./hide_references.ts";

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
  const errors: FieldErrors = {};
  for (const [name, value] of params) {
    if (ALWAYS_KNOWN.includes(name)) continue;
    if (name !== "limit" && name !== "offset") {
      addError(errors, name, "Unknown parameter. Expected limit or offset.");
    } else if (!/^\d{1,15}$/.test(value)) {
      addError(errors, name, `Expected a whole number of 0 or more, not ${quote(value)}.`);
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const limit = Number(params.get("limit") ?? settings.defaultPageSize);
  return {
    limit: limit === 0 ? settings.maxPageSize : Math.min(limit, settings.maxPageSize),
    offset: Number(params.get("offset") ?? 0),
  };
}
