/** Makes a new preview of the rows that an import left out, so that they can be corrected without starting over. */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { createPreview } from "./create_preview.ts";
import { findPreview } from "./find_preview.ts";
import { isTable } from "./preview.ts";
import { failedRows } from "./rows_as_csv.ts";

/**
 * Returns the key of a new preview with the failed rows of a confirmed one, and with the same options.
 * Errors: forbidden, not_found, conflict (nothing to correct), invalid.
 */
export async function retryFailed({ ctx, key }: { ctx: Context; key: string }): Promise<{ key: string }> {
  const { head } = await findPreview({ ctx }, key);
  const { onDuplicate, overwrite, tenant, counts, confirmed } = head;
  if (confirmed === null || counts.error === 0 || !isTable(head)) {
    throw new AppError("conflict", "This import has no rows that can be corrected.");
  }
  let content = "";
  for await (const part of (await failedRows({ ctx, key })).text) content += part;
  return await createPreview({ ctx, input: { content, format: "csv", onDuplicate, overwrite, tenant } });
}
