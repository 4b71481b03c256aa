/** Types of import previews. */

import type { FieldErrors } from "../../../base/errors.ts";
import type { NamedColumn } from "../../../formats/mod.ts";
import type { DataError, DataFormat, OnDuplicate, RowStatus } from "../import/mod.ts";

/** A cell of the document, truncated if it is long; null if missing. */
export type PreviewCell = { readonly text: string; readonly length: number } | null;

export interface PreviewRow {
  /** From 1, the first data row. */
  readonly place: number;
  /** In the order of the preview's columns. */
  readonly cells: readonly PreviewCell[];
  /** What the import would do with the row, or did after the confirmation. */
  readonly status: RowStatus;
  /** Errors, or the reason for skipping, by column. `__all__` is the whole row. */
  readonly messages: FieldErrors;
  /** The existing certificate, or the created one after the confirmation. */
  readonly certificateId: number | null;
}

/** An error of the whole document or of a column. */
export type DocumentError = Omit<DataError, "row">;

/** How a document is to be imported. */
export interface PreviewOptions {
  readonly onDuplicate: OnDuplicate;
  /** Whether an update replaces values, too. */
  readonly overwrite: boolean;
  /** Name, slug or id of the tenant for rows without one; empty for no tenant. */
  readonly tenant: string;
}

/** A column of the document. */
export interface Heading extends NamedColumn {
  /** Whether a user chose the column. */
  readonly chosen: boolean;
}

/** A preview without its rows. Times are in milliseconds since the epoch. */
export interface PreviewHead extends PreviewOptions {
  readonly key: string;
  readonly format: DataFormat;
  readonly created: number;
  readonly expires: number;
  /** Time of the import; null before it. */
  readonly confirmed: number | null;
  readonly counts: Readonly<Record<RowStatus, number>>;
  readonly columns: readonly string[];
  readonly errors: readonly DocumentError[];
  /** The columns, with their names in the document. */
  readonly headings: readonly Heading[];
  /** Texts for the empty cells of columns; an empty text for a missing column whose cells are entered later. */
  readonly everywhere: Readonly<Record<string, string>>;
}

/** Returns whether cells can be corrected. Those of PEM are certificates. */
export function isTable({ format }: Pick<PreviewHead, "format">): boolean {
  return format !== "pem";
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
