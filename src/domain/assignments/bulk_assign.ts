/** Assigns many certificates to one object: all that can be found, or none. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { authorize, type Context, restrictionSql } from "../../auth/mod.ts";
import { addError, invalid } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { idsIn } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import {
  anyErrors,
  type Draft,
  draftsOf,
  idList,
  inputSchema,
  parseObject,
  readIdList,
  REQUIRED,
  resolveReferences,
  storeDrafts,
  validateDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { assignments } from "./resource.ts";
import { TARGET_TYPES } from "./targets.ts";
import { certificates } from "../certificates/mod.ts";

/** What is given: certificates, and the fields of an assignment. */
export const BULK_ASSIGN_INPUT = z.object({
  certificate_ids: idList(MAX_BULK_OBJECTS),
  assigned_object_type: z.enum(TARGET_TYPES),
  assigned_object_id: z.int().min(1),
  is_primary: z.boolean().optional(),
  notes: inputSchema(assignments, "notes").optional(),
});

/** What was done. */
export interface BulkAssignment {
  created_count: number;
  /** Were assigned to the object already. */
  skipped_count: number;
  /** Are not there, or not for the caller. */
  not_found_ids: number[];
}

/**
 * All or nothing, of what is found: `bulk_operations` says which certificates, `add` on assignments where the results
 * must lie. Errors: forbidden, invalid (by field). The number of statements does not depend on the certificates.
 */
export async function bulkAssign(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<BulkAssignment> {
  const within = authorize(ctx, "bulk_operations", certificates.objectType);
  const allowed = authorize(ctx, "add", assignments.objectType);
  const ids = readIdList(input, { field: "certificate_ids", max: MAX_BULK_OBJECTS });
  const target = readTarget(input);
  const result = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: assignments, allowed };
    await requireTarget(call, target);
    const found = await findCertificates(call, { ids, within, target });
    const open = ids.filter((id) => found.get(id) === false);
    await assign(call, open, target);
    return {
      created_count: open.length,
      skipped_count: found.size - open.length,
      not_found_ids: ids.filter((id) => !found.has(id)),
    };
  });
  assignments.afterCommit?.(ctx);
  return result;
}

/** The fields that all assignments of the call share. */
interface Target {
  readonly assigned_object_type: string;
  readonly assigned_object_id: number;
  readonly is_primary: boolean;
  readonly notes: string;
}

function readTarget(body: unknown): Target {
  const { input, errors } = parseObject(assignments, body, "patch");
  for (const name of ["assigned_object_type", "assigned_object_id"]) {
    if (!(name in input) && errors[name] === undefined) addError(errors, name, REQUIRED);
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const { assigned_object_type, assigned_object_id, is_primary = false, notes = "" } = input;
  return { assigned_object_type, assigned_object_id, is_primary, notes } as Target;
}

/** The object must be there for the caller, even if nothing is left to assign. */
async function requireTarget({ ctx, tx }: WriteCall, target: Target): Promise<void> {
  const probe: Draft = { id: 0, input: { ...target }, row: {}, errors: {}, reveal: {} };
  await resolveReferences(assignments, [probe], { ctx, reader: tx });
  if (anyErrors([probe])) throw invalid(probe.errors);
}

/** Which of the certificates there are, and whether they are assigned to the object already. */
async function findCertificates(
  { ctx, tx }: WriteCall,
  { ids, within, target }: { ids: readonly number[]; within: Condition; target: Target },
): Promise<Map<number, boolean>> {
  const restricted = restrictionSql(ctx, within, certificates.objectType, "certificates") ?? sql`1`;
  const rows = await tx.all<{ id: number; assigned: number }>(
    sql`SELECT certificates.id AS id, EXISTS (
        SELECT 1 FROM certificate_assignments AS present WHERE present.certificate_id = certificates.id
          AND present.assigned_object_type = ${target.assigned_object_type}
          AND present.assigned_object_id = ${target.assigned_object_id}
      ) AS assigned FROM certificates WHERE certificates.id IN ${idsIn(ids)} AND ${restricted}`,
  );
  return new Map(rows.map(({ id, assigned }) => [id, assigned === 1]));
}

async function assign(call: WriteCall, ids: readonly number[], target: Target): Promise<void> {
  if (ids.length === 0) return;
  const { assigned_object_type, assigned_object_id, is_primary, notes } = target;
  const drafts = await draftsOf(
    call,
    ids.map(() => ({ input: { is_primary, notes }, errors: {}, reveal: {} })),
  );
  for (const [index, draft] of drafts.entries()) {
    // Columns, not fields: these are found and permitted already, by other rules than those of a reference.
    const certificate_id = ids[index] as number;
    Object.assign(draft.row, { certificate_id, assigned_object_type, assigned_object_id });
  }
  await validateDrafts(call, drafts);
  const messages = drafts.flatMap((draft) =>
    Object.values(draft.errors).flat().map((message) => `${draft.row.certificate_id}: ${message}`)
  );
  if (messages.length > 0) throw invalid({ certificate_ids: messages });
  await storeDrafts(call, drafts);
}
