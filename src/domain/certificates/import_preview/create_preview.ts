/** Creates and deletes previews of bulk imports. */

import { and, eq, lte, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { type FieldErrors, invalid, notFound } from "../../../base/errors.ts";
import { IMPORT_PREVIEW_MS, MAX_IMPORT_PREVIEWS_PER_USER } from "../../../base/limits.ts";
import { deleteFrom, insertInto, storableText, type Transaction } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import { refusePrivateKeys } from "../../../resource/mod.ts";
import { authorizeBulkImport, type DataFormat, type OnDuplicate, resolveNames } from "../import/mod.ts";
import { checkDocument } from "./check_document.ts";
import { own, userOf } from "./find_preview.ts";
import { readContent } from "./read_content.ts";
import { replaceRows, shownColumns } from "./stored_rows.ts";

export interface PreviewInput {
  /** Pasted text, or the bytes of a file. */
  readonly content: string | Uint8Array;
  readonly format: "auto" | DataFormat;
  readonly onDuplicate: OnDuplicate;
  /** Whether an update replaces values, too. */
  readonly overwrite?: boolean;
  /** Name, slug or id of the tenant for rows without one. */
  readonly tenant?: string;
}

/** Characters of a preview's key. */
const KEY_CHARS = 22;

/**
 * Validates a document as `bulk-data-import/` does, and stores it with its errors for an hour. Returns the
 * preview's key. Deletes the user's oldest preview if there are too many. Errors: forbidden, invalid
 * (`content`, `tenant`).
 */
export async function createPreview(
  { ctx, input }: { ctx: Context; input: PreviewInput },
): Promise<{ key: string }> {
  const allowed = authorizeBulkImport(ctx);
  const userId = userOf(ctx);
  const { text, document } = await readContent(ctx, input);
  const { onDuplicate, overwrite = false } = input;
  const options = { onDuplicate, overwrite, tenant: (input.tenant ?? "").trim() };
  await requireTenant(ctx, options.tenant);
  const checked = await checkDocument({ ctx, allowed, document, options });
  const key = randomText(KEY_CHARS);
  const now = ctx.clock.now();
  await ctx.database.write(async (tx) => {
    await makeRoom(tx, { userId, now });
    const made = insertInto(import_previews).values({
      user_id: userId,
      key,
      format: document.form,
      on_duplicate: onDuplicate,
      overwrite: Number(overwrite),
      tenant: options.tenant,
      content: text,
      ...shownColumns(document, checked),
      created: now,
      expires: now + IMPORT_PREVIEW_MS,
    });
    const [{ id }] = await tx.all(made.returning({ id: import_previews.id })) as [{ id: number }];
    await tx.runAll(replaceRows(id, checked));
  });
  return { key };
}

async function requireTenant(ctx: Context, tenant: string): Promise<void> {
  if (tenant === "") return;
  const wrong: FieldErrors = {};
  refusePrivateKeys({ tenant }, wrong);
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  const probe = { place: 0, body: {}, errors: {}, named: { tenant: [storableText(tenant)] } };
  const [found] = await resolveNames({ ctx, tx: ctx.database }, [probe]);
  if (found !== undefined && Object.keys(found.errors).length > 0) throw invalid(found.errors);
}

async function makeRoom(
  tx: Transaction,
  { userId, now }: { userId: number; now: number },
): Promise<void> {
  // A template, because the query builder refuses LIMIT -1.
  await tx.run(
    sql`DELETE FROM ${import_previews} WHERE user_id = ${userId} AND (expires <= ${now} OR id IN (
      SELECT id FROM ${import_previews} WHERE user_id = ${userId}
      ORDER BY id DESC LIMIT -1 OFFSET ${MAX_IMPORT_PREVIEWS_PER_USER - 1}))`,
  );
}

/** Deletes a preview and its document; imported certificates stay. Errors: forbidden, not_found. */
export async function discardPreview({ ctx, key }: { ctx: Context; key: string }): Promise<void> {
  const deleted = await ctx.database.write((tx) =>
    tx.run(deleteFrom(import_previews).where(and(eq(import_previews.key, key), own(ctx))))
  );
  if (deleted === 0) throw notFound();
}

/** Scheduled job: deletes expired previews. Returns their number. */
export async function prunePreviews({ ctx }: { ctx: Context }): Promise<{ previews_deleted: number }> {
  const deleted = await ctx.database.write((tx) =>
    tx.run(deleteFrom(import_previews).where(lte(import_previews.expires, ctx.clock.now())))
  );
  return { previews_deleted: deleted };
}
