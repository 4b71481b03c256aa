/** Deletes a preview. */

import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { deletePreview } from "./find_preview.ts";

/** Deletes a preview and its document; imported certificates stay. Errors: forbidden, not_found. */
export async function discardPreview({ ctx, key }: { ctx: Context; key: string }): Promise<void> {
  if (!await deletePreview({ ctx, key })) throw notFound();
}
