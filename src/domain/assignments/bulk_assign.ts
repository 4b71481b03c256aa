/** Assigns many certificates to an object: all that are found, or none. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { restrictionSql } from "../../auth/mod.ts";
import { invalid } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { idsIn } from "../../db/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { objectBody, objectId, operation } from "../../operation/mod.ts";
import {
  draftsOf,
  idList,
  inputSchema,
  requireReferences,
  storeOnly,
  validateDrafts,
  type WriteCall,
} from "../../resource/mod.ts";
import { assignments } from "./resource.ts";
import { ASSIGNED_TYPES } from "./targets.ts";
import { certificates } from "../certificates/mod.ts";

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
      const found = await findCertificates(call, { ids, within: allowed(certificates), target });
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
  },
});

/** Returns the certificates that the caller may view, and whether each is already assigned to the object. */
async function findCertificates(
  { ctx, tx }: WriteCall,
  { ids, within, target }: { ids: readonly number[]; within: Condition; target: Target },
): Promise<Map<number, boolean>> {
  const restricted = restrictionSql(ctx, within, { map: certificates.map }) ?? sql`1`;
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
    // Columns instead of fields, because these references are already resolved and authorized.
    Object.assign(draft.row, { certificate_id: ids[index], assigned_object_type, assigned_object_id });
  }
  await validateDrafts(call, drafts);
  const messages = drafts.flatMap((draft) =>
    Object.values(draft.errors).flat().map((message) => `${draft.row.certificate_id}: ${message}`)
  );
  if (messages.length > 0) throw invalid({ certificate_ids: messages });
  await storeOnly(call, drafts);
}
