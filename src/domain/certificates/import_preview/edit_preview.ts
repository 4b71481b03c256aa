/**
 * Corrects a preview: the meaning of its columns, and the texts of cells. The document itself is not changed.
 */

import { eq } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { addError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { sizeText } from "../../../base/amounts.ts";
import { jsonText, select, storableText, type Transaction, update } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import { quote, type Values } from "../../../resource/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE } from "../../../x509/mod.ts";
import { authorizeBulkImport, isImportColumn } from "../import/mod.ts";
import { type Edits, editsOf, findDocument, findPreview } from "./find_preview.ts";
import type { PreviewHead } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { repeatedKey } from "./read_preview.ts";
import { refresh, refreshPreview } from "./refresh_preview.ts";
import { cellText, previewRows, readRow } from "./stored_rows.ts";

/** A preview that is to be corrected. */
interface Target {
  readonly ctx: Context;
  readonly key: string;
}

/** A cell whose correction also applies to all cells of its column that have the same text and an error. */
export interface RepeatedCell {
  readonly place: number;
  readonly column: string;
}

/** A preview after corrections, and the number of rows with errors before them. */
type Corrected = PreviewHead & { readonly errorsBefore: number };

/**
 * Replaces texts of cells and checks the rows again. Does nothing if the preview is confirmed. Errors:
 * forbidden, not_found, invalid (by column: a private key, an unknown column, too much text).
 */
export async function editCells(
  { ctx, key }: Target,
  cells: Edits,
  repeated: readonly RepeatedCell[] = [],
): Promise<Corrected> {
  const allowed = authorizeBulkImport(ctx);
  refuseWrong(cells);
  const stored = await findDocument({ ctx, key });
  const before = await readStored(ctx, stored);
  const changes = changesOf(before, cells);
  if (repeated.length > 0) await repeatChanges({ ctx, key }, { before, changes, repeated });
  const errorsBefore = await ctx.database.write(async (tx) => {
    const { id, head } = await findPreview({ ctx, reader: tx }, key);
    if (head.confirmed === null) await store(tx, { ctx, id, changes });
    return head.counts.error;
  });
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  return { ...await refresh({ ctx, allowed, key, document }), errorsBefore };
}

/** Adds the changes of `repeated` cells to the rows with the same text and an error. Other changes take precedence. */
async function repeatChanges(
  { ctx, key }: Target,
  { before, changes, repeated }: {
    before: StoredTable;
    changes: Map<number, Record<string, string>>;
    repeated: readonly RepeatedCell[];
  },
): Promise<void> {
  const cellsOf = new Map(before.rows.map(({ place, cells = {} }) => [place, cells]));
  const corrected = new Map<string, string>();
  const keyOf = (place: number, column: string): string =>
    repeatedKey(column, cellTextOf(cellsOf.get(place)?.[column]));
  for (const { place, column } of repeated) {
    const text = changes.get(place)?.[column];
    if (text !== undefined) corrected.set(keyOf(place, column), text);
  }
  if (corrected.size === 0) return;
  const { id } = await findPreview({ ctx }, key);
  const wrong = await ctx.database.all(previewRows(id, eq(import_preview_rows.status, "error")));
  for (const { place, messages } of wrong.map(readRow)) {
    for (const column of Object.keys(messages)) {
      const text = corrected.get(keyOf(place, column));
      const own = changes.get(place);
      if (text !== undefined && own?.[column] === undefined) changes.set(place, { ...own, [column]: text });
    }
  }
}

async function store(
  tx: Transaction,
  { ctx, id, changes, replace = false }: { ctx: Context; id: number; changes: Edits; replace?: boolean },
): Promise<void> {
  const [row] = await tx.all(
    select({ edits: import_previews.edits }).from(import_previews).where(eq(import_previews.id, id)),
  );
  const edits = editsOf(row?.edits ?? "{}");
  for (const [place, texts] of changes) {
    edits.set(place, replace ? texts : { ...edits.get(place), ...texts });
  }
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

type StoredTable = Awaited<ReturnType<typeof readStored>>;

/** Returns the text of a cell, which may be missing. */
function cellTextOf(value: unknown): string {
  return value === undefined || value === null ? "" : cellText(value);
}

/** Returns the texts that differ from those of the document. Ignores rows that it does not have. */
function changesOf({ rows, errors }: StoredTable, cells: Edits): Map<number, Record<string, string>> {
  const known = new Map([
    ...errors.filter(({ row }) => row > 0).map(({ row }) => [row, {}] as const),
    ...rows.map((row) => [row.place, row.cells ?? {}] as const),
  ]);
  const changes = new Map<number, Record<string, string>>();
  for (const [place, texts] of cells) {
    const before: Readonly<Values> | undefined = known.get(place);
    if (before === undefined) continue;
    const own = Object.entries(texts).filter(([column, text]) => text !== cellTextOf(before[column]));
    const stored = own.map(([column, text]) => [column, storableText(text)]);
    if (stored.length > 0) changes.set(place, Object.fromEntries(stored));
  }
  return changes;
}

/** What the columns of a document mean. */
export interface ColumnChoice {
  /** The column for a heading; null if it is ignored. */
  readonly chosen: ReadonlyMap<string, string | null>;
  /** Texts for the empty cells of columns, and empty texts for missing columns whose cells are entered later. */
  readonly everywhere?: Readonly<Record<string, string>>;
}

/**
 * Sets the meaning of columns and checks the rows again. Without `everywhere`, earlier texts stay. Errors:
 * forbidden, not_found, invalid (`content`: an unknown column, or one that is chosen twice; by column: a
 * private key).
 */
export async function chooseColumns(
  { ctx, key }: Target,
  { chosen, everywhere }: ColumnChoice,
): Promise<PreviewHead> {
  authorizeBulkImport(ctx);
  if (everywhere !== undefined) refuseWrong(new Map([[0, everywhere]]));
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
    if (everywhere === undefined) return;
    const texts = Object.entries(everywhere).map(([column, text]) => [column, storableText(text)]);
    await store(tx, { ctx, id, changes: new Map([[0, Object.fromEntries(texts)]]), replace: true });
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
