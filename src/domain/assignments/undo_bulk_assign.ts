/** Undoes a bulk assignment shortly after it. */

import { z } from "zod";
import { objectBody, operation } from "../../operation/mod.ts";
import { undoCreations } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { assignments } from "./resource.ts";

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
