/** Import previews, and how they are stored: the document, its corrections, and the plan of its rows. */

import { and, eq, gt, type SQL } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { forbidden, notFound } from "../../../base/errors.ts";
import { pacer } from "../../../base/pace.ts";
import type { Finding } from "../../../base/findings.ts";
import { jsonText, type Reader, select, type Transaction, update } from "../../../db/mod.ts";
import { import_previews } from "../../../db/schema/mod.ts";
import type { NamedColumn, TableText } from "../../../formats/mod.ts";
import type { DataError, DataFormat, OnDuplicate, RowStatus, SpreadsheetReading } from "../import/mod.ts";

export interface PreviewRow {
  /** From 1, the first data row; of a workbook, the row of its sheet. */
  readonly place: number;
  /** In the order of the preview's columns; null if missing. A longer one than {@link MAX_PREVIEW_CELL_CHARS} is cut. */
  readonly cells: readonly (string | null)[];
  /** What the import would do with the row, or did after the confirmation. */
  readonly status: RowStatus;
  /** Errors, or the reason for skipping; their field is the column, or `__all__` for the whole row. */
  readonly messages: readonly Finding[];
  /** The existing certificate, or the created one after the confirmation. */
  readonly certificateId: number | null;
}

/** How a document is to be imported. */
export interface PreviewOptions {
  readonly onDuplicate: OnDuplicate;
  /** Whether an update replaces values, too. */
  readonly overwrite: boolean;
  /** Name, slug or id of the tenant for rows without one; empty for no tenant. */
  readonly tenant: string;
  /** The sheet of a workbook; rows are numbered as in it. */
  readonly sheet?: TableText["sheet"];
}

/** A column of the document. */
export interface Heading extends NamedColumn {
  /** Whether a user chose the column. */
  readonly chosen: boolean;
}

/** What is stored of a preview in addition to its document, corrections and rows. */
export interface PreviewPlan extends PreviewOptions {
  readonly format: DataFormat;
  readonly counts: Readonly<Record<RowStatus, number>>;
  /** Number of new rows that become records known from a list. */
  readonly listed: number;
  readonly columns: readonly string[];
  /** Errors of the whole document, or of columns. */
  readonly errors: readonly DataError[];
  /** The columns, with their names in the document. */
  readonly headings: readonly Heading[];
}

/** A preview without its rows. Times are in milliseconds since the epoch. */
export interface PreviewHead extends PreviewPlan {
  readonly key: string;
  readonly created: number;
  readonly expires: number;
  /** Time of the import; null before it. */
  readonly confirmed: number | null;
}

/** Texts of corrected cells by row and column. */
export type Edits = SpreadsheetReading["edits"];

/** A preview with everything that is stored of it. */
export interface StoredPreview {
  readonly id: number;
  readonly head: PreviewHead;
  readonly rows: readonly PreviewRow[];
  readonly text: string;
  readonly edits: Edits;
}

/** Returns the number of rows of a preview. */
export function totalOf({ counts }: Pick<PreviewHead, "counts">): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** Returns whether the preview can be confirmed: it has no errors, and at least one row to store. */
export function isReady(head: PreviewHead): boolean {
  return head.counts.error === 0 && hasValidRows(head);
}

/**
 * Returns whether the rows without errors can be imported: the document has no errors, and at least one row
 * is to be stored.
 */
export function hasValidRows({ counts, errors, confirmed }: PreviewHead): boolean {
  return confirmed === null && errors.length === 0 && counts.create + counts.update > 0;
}

/** Selects the caller's previews that have not expired. */
export function own(ctx: Context): SQL | undefined {
  return and(eq(import_previews.user_id, userOf(ctx)), gt(import_previews.expires, ctx.clock.now()));
}

/** Returns the caller's user id. Errors: forbidden (the service itself is not a user). */
export function userOf({ actor }: Context): number {
  if (actor.userId === null) throw forbidden();
  return actor.userId;
}

const { id, key, head, edits, rows, content, created, expires, confirmed } = import_previews;

/** Returns a preview. One statement. Errors: not_found. */
export async function findPreview(
  { ctx, reader = ctx.database }: { ctx: Context; reader?: Reader },
  given: string,
): Promise<StoredPreview> {
  const [row] = await reader.all(
    select({ id, key, head, edits, rows, content, created, expires, confirmed }).from(import_previews).where(
      and(eq(key, given), own(ctx)),
    ),
  );
  if (row === undefined) throw notFound();
  const plan: PreviewPlan = JSON.parse(row.head);
  const cells: Record<string, Record<string, string>> = JSON.parse(row.edits);
  return {
    id: row.id,
    head: { ...plan, key: row.key, created: row.created, expires: row.expires, confirmed: row.confirmed },
    rows: await readRows(row.rows),
    text: row.content,
    edits: new Map(Object.entries(cells).map(([place, own]) => [Number(place), own])),
  };
}

/** Number of rows in a line of the column: reading them takes a few milliseconds, and others have their turn between. */
const ROWS_PER_LINE = 500;

async function readRows(lines: string): Promise<PreviewRow[]> {
  const pause = pacer();
  const found: PreviewRow[] = [];
  for (const line of lines.split("\n")) {
    found.push(...JSON.parse(line));
    await pause();
  }
  return found;
}

function linesOf(all: readonly PreviewRow[]): string {
  const lines: string[] = [];
  for (let start = 0; start === 0 || start < all.length; start += ROWS_PER_LINE) {
    lines.push(jsonText(all.slice(start, start + ROWS_PER_LINE)));
  }
  return lines.join("\n");
}

/** The columns of a preview that change. */
interface Changes {
  readonly plan?: PreviewPlan;
  readonly rows?: readonly PreviewRow[];
  readonly edits?: Edits;
  readonly confirmed?: number;
}

/** Stores changes of a preview. */
export async function savePreview(
  tx: Transaction,
  previewId: number,
  { plan, rows, edits, ...rest }: Changes,
): Promise<void> {
  const columns = {
    ...rest,
    ...(plan === undefined ? {} : { head: jsonText(plan) }),
    ...(rows === undefined ? {} : { rows: linesOf(rows) }),
    ...(edits === undefined ? {} : { edits: jsonText(Object.fromEntries(edits)) }),
  };
  await tx.run(update(import_previews).set(columns).where(eq(id, previewId)));
}

/** Returns the number of rows by status. */
export function countsOf(all: readonly Pick<PreviewRow, "status">[]): PreviewHead["counts"] {
  const counts = { create: 0, update: 0, unchanged: 0, skip: 0, error: 0 };
  for (const { status } of all) counts[status]++;
  return counts;
}
