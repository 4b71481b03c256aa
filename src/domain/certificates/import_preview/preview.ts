/** What a preview of a bulk import is. */

import type { FieldErrors } from "../../../base/errors.ts";

/** What would become of a row; once the preview is confirmed, what became of it. */
export type RowStatus = "create" | "skip" | "error";

/** A cell as the document has it, cut where it is long; null where there is none. */
export type PreviewCell = { readonly text: string; readonly length: number } | null;

/** One row. */
export interface PreviewRow {
  /** As a spreadsheet numbers it: 1 is the first row of data. */
  readonly place: number;
  readonly status: RowStatus;
  /** In the order of the preview's columns. */
  readonly cells: readonly PreviewCell[];
  /** By column; under `__all__` those about the row. Why it is passed over, too. */
  readonly messages: FieldErrors;
  /** The certificate that is there already, or, once confirmed, the one that was created. */
  readonly certificateId: number | null;
}

/** What is wrong with the document as a whole, or with a column. */
export interface DocumentError {
  readonly field: string;
  readonly message: string;
}

/** How a document is to be imported. */
export interface PreviewOptions {
  readonly onDuplicate: "error" | "skip";
  /** Name, slug or id of the tenant of rows that name none; empty: they have none. */
  readonly tenant: string;
}

/** A preview without its rows; times in milliseconds since the epoch. */
export interface PreviewHead extends PreviewOptions {
  readonly key: string;
  readonly format: "csv" | "json";
  readonly created: number;
  readonly expires: number;
  /** When its rows became certificates; null: they have not. */
  readonly confirmed: number | null;
  readonly counts: Readonly<Record<RowStatus, number>>;
  readonly columns: readonly string[];
  readonly errors: readonly DocumentError[];
}

/** How many rows a preview has. */
export function totalOf({ counts }: Pick<PreviewHead, "counts">): number {
  return counts.create + counts.skip + counts.error;
}

/** Whether nothing stands against it: everything in it is good, and there is something to create. */
export function isReady({ counts, errors, confirmed }: PreviewHead): boolean {
  return confirmed === null && errors.length === 0 && counts.error === 0 && counts.create > 0;
}
