/** Reads previews (a page of rows, the document, the rows with errors as CSV), and corrects them: the meaning of columns, and texts of cells. */

import type { Context } from "../../../auth/mod.ts";
import { sizeText } from "../../../base/amounts.ts";
import type { Download } from "../../../base/download.ts";
import { invalid, invalidField } from "../../../base/errors.ts";
import { addFinding, ALL_FIELDS, type Finding, finding, textsByField } from "../../../base/findings.ts";
import { IMPORT_PREVIEW_PAGE_ROWS } from "../../../base/limits.ts";
import { jsonText, storableText } from "../../../db/mod.ts";
import { FORMATS } from "../../../formats/mod.ts";
import { quote } from "../../../resource/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";
import { authorizeBulkImport, type DataDocument, isImportColumn } from "../import/mod.ts";
import { cellText, readStored, refreshPreview } from "./plan_preview.ts";
import {
  type Edits,
  findPreview,
  type PreviewHead,
  type PreviewOptions,
  type PreviewRow,
  savePreview,
  type StoredPreview,
} from "./preview.ts";

/** A preview that is to be corrected. */
interface Target {
  readonly ctx: Context;
  readonly key: string;
}

/** A cell whose correction also applies to all cells of its column that have the same text and an error. */
interface RepeatedCell {
  readonly place: number;
  readonly column: string;
}

/**
 * Replaces texts of cells and checks the rows again. Does nothing if the preview is confirmed. Errors:
 * forbidden, not_found, invalid (by column: a private key, an unknown column, too much text).
 */
export async function editCells(
  { ctx, key }: Target,
  cells: Edits,
  { repeated = [], dropped = [] }: {
    repeated?: readonly RepeatedCell[];
    /** Rows to leave out: all their cells become empty. */
    dropped?: readonly number[];
  } = {},
): Promise<PreviewHead> {
  authorizeBulkImport(ctx);
  refuseWrong(cells);
  const { importFileMaxBytes: max } = ctx.settings;
  const before = await findPreview({ ctx }, key);
  const document = await readStored(ctx, before);
  const empty = Object.fromEntries(before.head.columns.map((column) => [column, ""]));
  const changes = changesOf(
    document,
    new Map([...cells, ...dropped.map((place) => [place, empty] as const)]),
  );
  if (repeated.length > 0) repeatChanges(before, { document, changes, repeated });
  await ctx.database.write(async (tx) => {
    const { id, head, edits } = await findPreview({ ctx, reader: tx }, key);
    if (head.confirmed !== null) return;
    const merged = new Map(edits);
    for (const [place, texts] of changes) merged.set(place, { ...merged.get(place), ...texts });
    if (jsonText(Object.fromEntries(merged)).length > max) {
      throw invalidField("content", "corrections_too_large", { max: sizeText(max) });
    }
    await savePreview(tx, id, { edits: merged });
  });
  return await refreshPreview({ ctx, key });
}

/** Adds the changes of `repeated` cells to the rows with the same text and an error. Other changes take precedence. */
function repeatChanges(
  { rows }: StoredPreview,
  { document, changes, repeated }: {
    document: DataDocument;
    changes: Map<number, Record<string, string>>;
    repeated: readonly RepeatedCell[];
  },
): void {
  const cellsOf = new Map(document.rows.map(({ place, cells = {} }) => [place, cells]));
  const keyOf = (place: number, column: string): string =>
    repeatedKey(column, cellText(cellsOf.get(place)?.[column]));
  const corrected = new Map(
    repeated.filter(({ column }) => isImportColumn(column)).map(({ place, column }) =>
      [keyOf(place, column), changes.get(place)?.[column]] as const
    ),
  );
  for (const { place, status, messages } of rows) {
    if (status !== "error") continue;
    for (const { field: column = "" } of messages) {
      const text = corrected.get(keyOf(place, column));
      const own = changes.get(place);
      if (text !== undefined && own?.[column] === undefined) changes.set(place, { ...own, [column]: text });
    }
  }
}

/** Refuses private keys and unknown columns. Errors: invalid (by column). */
export function refuseWrong(cells: Edits): void {
  const errors: Finding[] = [];
  for (const texts of cells.values()) {
    for (const [column, text] of Object.entries(texts)) {
      if (!isImportColumn(column)) {
        addFinding(errors, "content", finding("unknown_column_name", { value: quote(column) }));
      } else if (holdsPrivateKey(text)) addFinding(errors, column, finding("private_key"));
    }
  }
  if (errors.length > 0) throw invalid(errors);
}

/** Returns the texts that differ from those of the document. Ignores rows that it does not have. */
function changesOf({ rows }: DataDocument, cells: Edits): Map<number, Record<string, string>> {
  const known = new Map(rows.map((row) => [row.place, row.cells ?? {}]));
  const changes = new Map<number, Record<string, string>>();
  for (const [place, texts] of cells) {
    const before = known.get(place);
    if (before === undefined) continue;
    const own = Object.entries(texts).filter(([column, text]) => text !== cellText(before[column]));
    const stored = own.map(([column, text]) => [column, storableText(text)]);
    if (stored.length > 0) changes.set(place, Object.fromEntries(stored));
  }
  return changes;
}

/**
 * Sets the meaning of columns (null: ignored) by their headings, and checks the rows again. Errors: forbidden, not_found,
 * invalid (`content`: a column that is chosen twice).
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
    await savePreview(tx, id, { plan: { ...head, headings } });
  });
  return await refreshPreview({ ctx, key });
}

function refuseColumns(columns: readonly (string | null)[]): void {
  const given = columns.filter((one) => one !== null).filter(isImportColumn);
  const twice = given.find((one, index) => given.indexOf(one) !== index);
  if (twice !== undefined) {
    throw invalidField("content", "column_twice", { name: twice });
  }
}

/** A preview with one page of its rows. */
export interface PreviewPage extends PreviewHead {
  readonly rows: readonly PreviewRow[];
  /** Number of rows on all pages, and of those before this page. */
  readonly count: number;
  readonly offset: number;
  /** The first and the last id of the created certificates, which are consecutive; null if there are none. */
  readonly createdIds: readonly [number, number] | null;
  /** Numbers of invalid cells by column and text, of those that several rows have. */
  readonly repeated: ReadonlyMap<string, number>;
}

/** Returns the key of a cell in {@link PreviewPage.repeated}. */
export function repeatedKey(column: string, text: string): string {
  return JSON.stringify([column, text]);
}

/**
 * Returns a page of a preview, or its last page if there are not as many rows. One statement. Errors: forbidden,
 * not_found.
 */
export async function readPreview(
  { ctx, key, only = "all", offset = 0 }: {
    ctx: Context;
    key: string;
    only?: "all" | "errors";
    offset?: number;
  },
): Promise<PreviewPage> {
  authorizeBulkImport(ctx);
  const { head, rows: all } = await findPreview({ ctx }, key);
  const wrong = all.filter(({ status }) => status === "error");
  const rows = only === "errors" ? wrong : all;
  const last = Math.floor(Math.max(0, rows.length - 1) / IMPORT_PREVIEW_PAGE_ROWS) * IMPORT_PREVIEW_PAGE_ROWS;
  const first = Math.min(offset, last);
  const created = head.confirmed === null ? [] : all.filter(({ status }) => status === "create");
  const ids = created.flatMap(({ certificateId }) => certificateId ?? []);
  return {
    ...head,
    rows: rows.slice(first, first + IMPORT_PREVIEW_PAGE_ROWS),
    count: rows.length,
    offset: first,
    createdIds: ids.length === 0 ? null : [Math.min(...ids), Math.max(...ids)],
    repeated: head.confirmed === null ? countRepeated(head, wrong) : new Map(),
  };
}

/** Columns whose values differ in all rows. */
const DISTINCT: readonly string[] = ["common_name", "serial_number", "fingerprint_sha256"];

/** Counts the rows with equal invalid texts of a column. */
function countRepeated({ columns }: PreviewHead, wrong: readonly PreviewRow[]): Map<string, number> {
  const keys = wrong.flatMap(({ cells, messages }) => {
    const names = [...new Set(messages.map(({ field = ALL_FIELDS }) => field))];
    return names.filter((name) => !DISTINCT.includes(name))
      .map((name) => repeatedKey(name, cells[columns.indexOf(name)] ?? ""));
  });
  const groups = Map.groupBy(keys, (key) => key);
  return new Map(
    [...groups].map(([key, all]) => [key, all.length] as const).filter(([, count]) => count > 1),
  );
}

/**
 * Returns the document of a preview for editing, as CSV if cells were corrected, and its options. Errors: forbidden,
 * not_found.
 */
export async function readPreviewContent(
  { ctx, key }: { ctx: Context; key: string },
): Promise<PreviewOptions & { readonly content: string }> {
  authorizeBulkImport(ctx);
  const stored = await findPreview({ ctx }, key);
  if (stored.edits.size === 0) return { ...stored.head, content: stored.text };
  const { rows } = await readStored(ctx, stored);
  return { ...stored.head, content: csvOf(stored.head.columns, rows.map(({ cells = {} }) => cells)) };
}

/**
 * Returns the rows with errors as CSV, which can be corrected and imported. The last column has the errors.
 * Errors: forbidden, not_found.
 */
export async function failedRows({ ctx, key }: { ctx: Context; key: string }): Promise<Download> {
  authorizeBulkImport(ctx);
  const stored = await findPreview({ ctx }, key);
  const { rows } = await readStored(ctx, stored);
  const cells = new Map(rows.map((row) => [row.place, row.cells ?? {}]));
  const text = csvOf(
    [...stored.head.columns, "errors"],
    stored.rows.filter(({ status }) => status === "error")
      .map((row) => ({ ...cells.get(row.place), errors: errorsOf(row) })),
  );
  return {
    mediaType: FORMATS.csv.mediaType,
    fileName: "failed-rows.csv",
    text: ReadableStream.from([text]),
  };
}

function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const { begin, rows: write } = FORMATS.csv.writer(columns);
  const texts = rows.map((cells) =>
    Object.fromEntries(columns.map((column) => [column, cellText(cells[column])]))
  );
  return begin + [...write(texts, 0)].join("");
}

function errorsOf({ place, messages }: PreviewRow): string {
  const all = Object.entries(textsByField(messages)).map(([column, said]) =>
    column === "__all__" ? said.join(" ") : `${column}: ${said.join(" ")}`
  );
  return `Row ${place}. ${all.join(" ")}`;
}
