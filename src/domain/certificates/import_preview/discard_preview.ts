/** Throws a preview away. */

import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { deletePreview } from "./find_preview.ts";

/** Forgets a preview and its document; what it has imported stays. Errors: forbidden, not_found. */
export async function discardPreview({ ctx, key }: { ctx: Context; key: string }): Promise<void> {
  if (!await deletePreview({ ctx, key })) throw notFound();
}
