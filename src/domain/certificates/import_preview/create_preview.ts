/** Makes the preview of a bulk import: every row judged, nothing imported. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { addError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { IMPORT_PREVIEW_MS, MAX_IMPORT_PREVIEWS_PER_USER } from "../../../base/limits.ts";
import { jsonText, storableText, type Transaction } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import { refusePrivateKeys } from "../../../resource/mod.ts";
import { authorizeBulkImport, rehearse, resolveTenants } from "../import/mod.ts";
import { userOf } from "./find_preview.ts";
import { judgeDocument, type Judgement } from "./judge_document.ts";
import type { PreviewOptions } from "./preview.ts";
import { type ReadContent, readContent } from "./read_content.ts";
import { columnsOf, replaceRows } from "./stored_rows.ts";

/** What is asked. */
export interface PreviewInput {
  /** A pasted text, or the bytes of a file. */
  readonly content: string | Uint8Array;
  readonly format: "auto" | "csv" | "json";
  readonly onDuplicate: "error" | "skip";
  /** Name, slug or id of a tenant for rows that name none. */
  readonly tenant?: string;
}

/** Characters of a preview's key. */
const KEY_CHARS = 22;

/**
 * Judges a document as `bulk-data-import` does, and keeps it with its findings for an hour; gives the preview's key.
 * The oldest preview of a user who has too many goes. Errors: forbidden, invalid (`content`, `tenant`).
 */
export async function createPreview(
  { ctx, input }: { ctx: Context; input: PreviewInput },
): Promise<{ key: string }> {
  const allowed = authorizeBulkImport(ctx);
  const userId = userOf(ctx);
  const read = await readContent(ctx, input);
  const options = { onDuplicate: input.onDuplicate, tenant: (input.tenant ?? "").trim() };
  await requireTenant(ctx, options.tenant);
  const judgement = await judgeDocument({ ctx, allowed, document: read.document, options });
  const key = randomText(KEY_CHARS);
  await ctx.database.write(async (tx) => {
    await makeRoom(tx, { userId, now: ctx.clock.now() });
    await store(tx, { now: ctx.clock.now(), userId, key, read, options, judgement });
  });
  return { key };
}

async function requireTenant(ctx: Context, tenant: string): Promise<void> {
  if (tenant === "") return;
  const wrong: FieldErrors = {};
  refusePrivateKeys({ tenant }, wrong);
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  const probe = { place: 0, body: {}, errors: {}, tenantText: storableText(tenant) };
  const [found] = await rehearse(ctx.database, (tx) => resolveTenants({ ctx, tx }, [probe]));
  const errors: FieldErrors = {};
  for (const message of found?.errors.tenant ?? []) addError(errors, "tenant", message);
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

async function makeRoom(
  tx: Transaction,
  { userId, now }: { userId: number; now: number },
): Promise<void> {
  await tx.run(
    sql`DELETE FROM ${import_previews} WHERE user_id = ${userId} AND (expires <= ${now} OR id IN (
      SELECT id FROM ${import_previews} WHERE user_id = ${userId}
      ORDER BY id DESC LIMIT -1 OFFSET ${MAX_IMPORT_PREVIEWS_PER_USER - 1}))`,
  );
}

async function store(
  tx: Transaction,
  { now, userId, key, read, options, judgement }: {
    now: number;
    userId: number;
    key: string;
    read: ReadContent;
    options: PreviewOptions;
    judgement: Judgement;
  },
): Promise<void> {
  const columns = columnsOf(judgement);
  const [made] = await tx.all<{ id: number }>(
    sql`INSERT INTO ${import_previews}
        (user_id, key, format, on_duplicate, tenant, content, columns, errors, created, expires)
      VALUES (${userId}, ${key}, ${read.document.form}, ${options.onDuplicate}, ${options.tenant}, ${read.text},
        ${jsonText(columns)}, ${jsonText(judgement.errors)}, ${now}, ${now + IMPORT_PREVIEW_MS})
      RETURNING id`,
  );
  await tx.runAll(replaceRows((made as { id: number }).id, judgement, columns));
}
