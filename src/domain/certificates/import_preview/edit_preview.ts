/**
 * Corrects a preview: the meaning of its columns, and the texts of cells. The document itself is not changed.
 */

import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { addError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { sizeText } from "../../../base/amounts.ts";
import { jsonText, select, storableText, type Transaction, update } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../../../x509/mod.ts";
import { authorizeBulkImport, isImportColumn } from "../import/mod.ts";
import { type Edits, editsOf, findDocument, findPreview } from "./find_preview.ts";
import type { PreviewHead } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { refresh, refreshPreview } from "./refresh_preview.ts";
import { cellText } from "./stored_rows.ts";

/** A preview that is to be corrected. */
interface Target {
  readonly ctx: Context;
  readonly key: string;
}

/**
 * Replaces texts of cells and checks the rows again. Does nothing if the preview is confirmed. Errors:
 * forbidden, not_found, invalid (by column: a private key, an unknown column, too much text).
 */
export async function editCells({ ctx, key }: Target, cells: Edits): Promise<PreviewHead> {
  const allowed = authorizeBulkImport(ctx);
  refuseWrong(cells);
  const stored = await findDocument({ ctx, key });
  const changes = changesOf(await readStored(ctx, stored), cells);
  await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    if (head.confirmed === null) await store(tx, { ctx, id, changes });
  });
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  return await refresh({ ctx, allowed, key, document });
}

async function store(
  tx: Transaction,
  { ctx, id, changes }: { ctx: Context; id: number; changes: Edits },
): Promise<void> {
  const [row] = await tx.all(
    select({ edits: import_previews.edits }).from(import_previews).where(eq(import_previews.id, id)),
  );
  const edits = editsOf(row?.edits ?? "{}");
  for (const [place, texts] of changes) edits.set(place, { ...edits.get(place), ...texts });
  const text = jsonText(Object.fromEntries(edits));
  const max = ctx.settings.importFileMaxBytes;
  if (text.length > max) {
    throw invalid({ content: [`The corrections have more than ${sizeText(max)}. Edit the file instead.`] });
  }
  await tx.run(update(import_previews).set({ edits: text }).where(eq(import_previews.id, id)));
}

function refuseWrong(cells: Edits): void {
  const errors: FieldErrors = {};
  for (const texts of cells.values()) {
    for (const [column, text] of Object.entries(texts)) {
      if (!isImportColumn(column)) addError(errors, "content", `Unknown column ${quote(column)}.`);
      else if (holdsPrivateKey(text)) addError(errors, column, PRIVATE_KEY_MESSAGE);
    }
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** Returns the texts that differ from those of the document. Ignores rows that it does not have. */
function changesOf({ rows, errors }: Awaited<ReturnType<typeof readStored>>, cells: Edits): Edits {
  const known = new Map([
    ...errors.filter(({ row }) => row > 0).map(({ row }) => [row, {}] as const),
    ...rows.map((row) => [row.place, row.cells ?? {}] as const),
  ]);
  const changes = new Map<number, Record<string, string>>();
  for (const [place, texts] of cells) {
    const before: Readonly<Record<string, unknown>> | undefined = known.get(place);
    if (before === undefined) continue;
    const own = Object.entries(texts).filter(([column, text]) => {
      const value = before[column];
      return text !== (value === undefined || value === null ? "" : cellText(value));
    });
    const stored = own.map(([column, text]) => [column, storableText(text)]);
    if (stored.length > 0) changes.set(place, Object.fromEntries(stored));
  }
  return changes;
}

/**
 * Sets the columns for headings (null: the column is ignored) and checks the rows again. Errors: forbidden,
 * not_found, invalid (`content`: an unknown column, or one that is chosen twice).
 */
export async function chooseColumns(
  { ctx, key }: Target,
  chosen: ReadonlyMap<string, string | null>,
): Promise<PreviewHead> {
  authorizeBulkImport(ctx);
  await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    if (head.confirmed !== null) return;
    const headings = head.headings.map((one) => {
      const column = chosen.get(one.name);
      return column === undefined || column === one.column ? one : { ...one, column, chosen: true };
    });
    refuseColumns(headings.map(({ column }) => column));
    await tx.run(
      update(import_previews).set({ headings: jsonText(headings) }).where(eq(import_previews.id, id)),
    );
  });
  return await refreshPreview({ ctx, key });
}

function refuseColumns(columns: readonly (string | null)[]): void {
  const given = columns.filter((one) => one !== null).filter(isImportColumn);
  const twice = given.find((one, index) => given.indexOf(one) !== index);
  if (twice !== undefined) {
    throw invalid({ content: [`Two columns are read as ${twice}. Choose another field for one of them.`] });
  }
}
