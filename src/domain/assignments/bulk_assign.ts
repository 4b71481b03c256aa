/** Assigns many certificates to an object: all that are found, or none; and undoes it shortly after. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { idsIn, type Reader } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { objectBody, objectId, operation } from "../../operation/mod.ts";
import {
  draftsOf,
  idList,
  inputSchema,
  requireReferences,
  storeOnly,
  undoCreations,
  validateDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { ASSIGNED_TYPES, assignments } from "./resource.ts";

const UndoInput = objectBody({ request_id: z.uuid() });
const Undo = z.object({ removed_count: z.int() });

/**
 * Deletes the assignments that a request of the same user created in the last ten minutes, except those that
 * have changed since. Errors: forbidden, invalid.
 */
export const undoBulkAssign = operation({
  needs: [["bulk_operations", certificates], ["delete", assignments]],
  input: UndoInput,
  output: Undo,
  run: async ({ ctx, input: { request_id: requestId } }): Promise<z.infer<typeof Undo>> => ({
    removed_count: await undoCreations({
      ctx,
      resource: assignments,
      requestId,
      message: "Assignment undone",
    }),
  }),
});

const BulkAssignInput = objectBody({
  certificate_ids: idList(MAX_BULK_OBJECTS),
  assigned_object_type: z.enum(ASSIGNED_TYPES),
  assigned_object_id: objectId(),
  is_primary: z.boolean().default(false),
  notes: (inputSchema(assignments, "notes") as z.ZodType<string>).default(""),
});

const BulkAssignment = z.object({
  created_count: z.int(),
  skipped_count: z.int().describe("Certificates that were assigned to the object already."),
  not_found_ids: z.array(z.int()).describe("Ids that do not exist, or that the caller may not view."),
});

/** The fields that all assignments of a call share. */
type Target = Omit<z.infer<typeof BulkAssignInput>, "certificate_ids">;

/**
 * Assigns all certificates that are found, or none. `bulk_operations` selects the certificates, `add` on
 * assignments the results. Errors: forbidden, invalid (by field). The number of statements does not depend on
 * the number of certificates.
 */
export const bulkAssign = operation({
  needs: [["bulk_operations", certificates], ["add", assignments]],
  input: BulkAssignInput,
  output: BulkAssignment,
  run: async ({ ctx, allowed, input: { certificate_ids: ids, ...target } }) => {
    const result = await ctx.database.write(async (tx) => {
      const call: WriteCall = { ctx, tx, resource: assignments, allowed: allowed(assignments) };
      await requireReferences(assignments, target, { ctx, reader: tx });
      const { assigned_object_type: type, assigned_object_id: object } = target;
      const present = sql`SELECT 1 FROM certificate_assignments AS present
        WHERE present.certificate_id = certificates.id AND present.assigned_object_type = ${type}
          AND present.assigned_object_id = ${object}`;
      const found = await findCertificates({ ctx, reader: tx }, {
        ids,
        within: allowed(certificates),
        present,
      });
      const open = ids.filter((id) => found.get(id) === false);
      await assign(call, open, target);
      return {
        created_count: open.length,
        skipped_count: found.size - open.length,
        not_found_ids: ids.filter((id) => !found.has(id)),
      };
    });
    assignments.hooks?.afterCommit?.(ctx);
    return result;
  },
});

/** Returns the certificates to which a restriction applies, and whether each has an assignment (`present`). */
export async function findCertificates(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { ids, within, present }: { ids: readonly number[]; within: Condition; present: SQL },
): Promise<Map<number, boolean>> {
  const restricted = restrictionSql(ctx, within, { map: certificates.map }) ?? sql`1`;
  const rows = await reader.all<{ id: number; assigned: number }>(
    sql`SELECT certificates.id AS id, EXISTS (${present}) AS assigned FROM certificates
        WHERE certificates.id IN ${idsIn(ids)} AND ${restricted}`,
  );
  return new Map(rows.map(({ id, assigned }) => [id, assigned === 1]));
}

async function assign(call: WriteCall, ids: readonly number[], target: Target): Promise<void> {
  if (ids.length === 0) return;
  const { assigned_object_type, assigned_object_id, is_primary, notes } = target;
  const drafts = await draftsOf(
    call,
    ids.map(() => ({ input: { is_primary, notes }, errors: [], reveal: {} })),
  );
  for (const [index, draft] of drafts.entries()) {
    // Columns instead of fields, because these references are already resolved and authorized.
    Object.assign(draft.row, { certificate_id: ids[index], assigned_object_type, assigned_object_id });
  }
  await validateDrafts(call, drafts);
  const findings = drafts.flatMap(({ row, errors }) =>
    errors.map((one) => ({ ...one, field: "certificate_ids", path: [String(row.certificate_id)] }))
  );
  if (findings.length > 0) throw invalid(findings);
  await storeOnly(call, drafts);
}
