/** Assigns a contact to many certificates at once: to all that are found, or to none. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../auth/mod.ts";
import { AppError, invalid } from "../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { objectBody, objectId, operation } from "../../operation/mod.ts";
import { createObjects, idList, requireReferences, undoCreations } from "../../resource/mod.ts";
import { findCertificates } from "../assignments/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { contactAssignments } from "./resource.ts";

const AssignContactInput = objectBody({
  certificate_ids: idList(MAX_BULK_OBJECTS),
  contact: objectId(),
  role: objectId().nullable().default(null),
  priority: z.enum(["primary", "secondary", "tertiary", "inactive"]).nullable().default(null),
});
const ContactAssignment = z.object({
  created_count: z.int(),
  skipped_count: z.int().describe("Certificates that had the contact in this role already."),
});

/**
 * Assigns a contact in a role to all certificates that the caller may view. Errors: forbidden, invalid (by
 * field: the contact or the role does not exist or is hidden from the caller).
 */
export const assignContact = operation({
  needs: [["view", certificates], ["add", contactAssignments]],
  input: AssignContactInput,
  output: ContactAssignment,
  run: async ({ ctx, allowed, input: { certificate_ids: ids, ...assigned } }) => {
    await requireReferences(contactAssignments, assigned, { ctx, reader: ctx.database });
    const { contact, role } = assigned;
    const present = sql`SELECT 1 FROM contact_assignments AS present
      WHERE present.object_type = ${certificates.objectType} AND present.object_id = certificates.id
        AND present.contact_id = ${contact} AND present.role_id IS ${role}`;
    const reader = ctx.database;
    const found = await findCertificates({ ctx, reader }, { ids, within: allowed(certificates), present });
    const open = [...found].filter(([, has]) => !has).map(([id]) => id);
    if (open.length > 0) await assign(ctx, open, assigned);
    return { created_count: open.length, skipped_count: found.size - open.length };
  },
});

/**
 * Deletes what {@link assignContact} created in a request of the same user in the last ten minutes. Errors:
 * forbidden, invalid.
 */
export const undoAssignContact = operation({
  needs: [["delete", contactAssignments]],
  input: objectBody({ request_id: z.uuid() }),
  output: z.object({ removed_count: z.int() }),
  run: async ({ ctx, input: { request_id: requestId } }) => ({
    removed_count: await undoCreations({
      ctx,
      resource: contactAssignments,
      requestId,
      message: "Assignment of a contact undone",
    }),
  }),
});

type Assigned = Omit<z.infer<typeof AssignContactInput>, "certificate_ids">;

/** Creates the assignments. An error about the contact or the role is the same for all of them. */
async function assign(ctx: Context, ids: readonly number[], assigned: Assigned): Promise<void> {
  const input = ids.map((id) => ({ object_type: certificates.objectType, object_id: id, ...assigned }));
  try {
    await createObjects({ ctx, resource: contactAssignments, input });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    throw invalid(error.findings.find(({ length }) => length > 0) ?? []);
  }
}
