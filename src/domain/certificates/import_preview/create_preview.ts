/** Creates, confirms and deletes previews of tables. */

import { and, eq, lte, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { AppError, invalid, notFound } from "../../../base/errors.ts";
import type { Finding } from "../../../base/findings.ts";
import { IMPORT_PREVIEW_MS, MAX_IMPORT_PREVIEWS_PER_USER } from "../../../base/limits.ts";
import { deleteFrom, insertInto, jsonText, storableText, type Transaction } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import { refusePrivateKeys } from "../../../resource/mod.ts";
import {
  authorizeBulkImport,
  type DataDocument,
  type DataFormat,
  findingsOf,
  type OnDuplicate,
  planRows,
  resolveNames,
  storePlan,
} from "../import/mod.ts";
import { certificates } from "../mod.ts";
import { planOf, planPreview, readContent, readStored, refreshPreview } from "./plan_preview.ts";
import {
  countsOf,
  findPreview,
  hasValidRows,
  isReady,
  own,
  type PreviewHead,
  type PreviewRow,
  savePreview,
  userOf,
} from "./preview.ts";

/** A preview to confirm. */
interface Confirmation {
  readonly ctx: Context;
  readonly key: string;
  /** Leaves out rows with errors. Otherwise a preview with errors imports nothing. */
  readonly validOnly?: boolean;
}

/**
 * Plans the import again and applies it, in the transaction that marks the preview as confirmed. A second
 * confirmation returns the result of the first. Without `validOnly`, a preview with errors imports nothing and
 * is updated instead. Returns the preview; `confirmed` shows whether the import was done. Errors: forbidden,
 * not_found.
 */
export async function confirmPreview({ ctx, key, validOnly = false }: Confirmation): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  const stored = await findPreview({ ctx }, key);
  const { head } = stored;
  if (head.confirmed !== null) return head;
  if (!(validOnly ? hasValidRows(head) : isReady(head))) return await refreshPreview({ ctx, key });
  const document = await readStored(ctx, stored);
  try {
    const { rows } = validOnly
      ? await planPreview({ ctx, allowed, document, options: head })
      : { rows: stored.rows };
    const after = await ctx.database.write((tx) =>
      applyPreview({ ctx, tx, allowed }, { key, document, rows, validOnly })
    );
    if (after === undefined) return await refreshPreview({ ctx, key });
    certificates.hooks?.afterCommit?.(ctx);
    return after;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "forbidden")) throw error;
    // The caller may no longer import some row. The updated preview shows which one.
    const after = await refreshPreview({ ctx, key });
    if (isReady(after)) throw error;
    return after;
  }
}

/** Imports a preview and returns it; undefined if it has errors. With `validOnly`, `rows` with errors are left out. */
async function applyPreview(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  { key, document, rows, validOnly }: {
    key: string;
    document: DataDocument;
    rows: readonly PreviewRow[];
    validOnly: boolean;
  },
): Promise<PreviewHead | undefined> {
  const { id, head } = await findPreview({ ctx, reader: tx }, key);
  // Confirmed already, for example in another tab.
  if (head.confirmed !== null) return head;
  const planned = planOf(ctx, { document, options: head });
  const all = await planRows({ ctx, tx, resource: certificates, allowed }, planned.rows, planned.rule);
  const excluded = new Set(
    validOnly ? rows.filter(({ status }) => status === "error").map(({ place }) => place) : [],
  );
  const plan = { ...all, rows: all.rows.filter(({ place }) => !excluded.has(place)) };
  // A row may have become invalid in the meantime.
  const isValid = plan.rows.every(({ status }) => status !== "error") &&
    (validOnly ? plan.rows.some(({ draft }) => draft !== undefined) : document.errors.length === 0);
  if (!isValid) return undefined;
  const outcome = await storePlan({ ctx, tx, resource: certificates, allowed }, plan);
  const results = new Map(outcome.rows.map((row) => [row.place, row]));
  const after = rows.map((row): PreviewRow => {
    const result = results.get(row.place);
    if (result === undefined) return row;
    const { status, reason, id: certificateId = null } = result;
    return {
      ...row,
      status,
      messages: findingsOf({ errors: [], ...(reason === undefined ? {} : { reason }) }),
      certificateId,
    };
  });
  const done = { ...head, counts: countsOf(after), confirmed: ctx.clock.now() };
  await savePreview(tx, id, { plan: done, rows: after, confirmed: done.confirmed });
  return done;
}

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
  const { text, document, sheet } = await readContent(ctx, input);
  const { onDuplicate, overwrite = false } = input;
  const options = { onDuplicate, overwrite, tenant: (input.tenant ?? "").trim(), sheet };
  await requireTenant(ctx, options.tenant);
  const { plan, rows } = await planPreview({ ctx, allowed, document, options });
  const key = randomText(KEY_CHARS);
  const now = ctx.clock.now();
  await ctx.database.write(async (tx) => {
    await makeRoom(tx, { userId, now });
    await tx.run(
      insertInto(import_previews).values({
        user_id: userId,
        key,
        content: text,
        head: jsonText(plan),
        rows: jsonText(rows),
        created: now,
        expires: now + IMPORT_PREVIEW_MS,
      }),
    );
  });
  return { key };
}

async function requireTenant(ctx: Context, tenant: string): Promise<void> {
  if (tenant === "") return;
  const wrong: Finding[] = [];
  refusePrivateKeys({ tenant }, wrong);
  if (wrong.length > 0) throw invalid(wrong);
  const probe = { place: 0, body: {}, errors: [], named: { tenant: [storableText(tenant)] } };
  const [found] = await resolveNames({ ctx, tx: ctx.database }, [probe]);
  if (found !== undefined && found.errors.length > 0) throw invalid(found.errors);
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
