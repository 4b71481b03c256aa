/** The headings of a previewed table: which are read as fields, which are unknown, and which are missing. */

import { listText } from "../../../base/amounts.ts";
import { isImportColumn, KNOWN_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import type { DocumentError, Heading, PreviewHead } from "../../../domain/certificates/import_preview/mod.ts";
import { labelOf } from "../../messages.ts";

/** Maximum characters of a heading or a value in a form. */
export const MAX_SEEN = 40;

/** Returns whether a column is read as a field. */
export function isRead({ column }: Heading): boolean {
  return column !== null && isImportColumn(column);
}

/** Returns the required columns that the document does not have. */
export function missingColumns({ errors }: PreviewHead): string[] {
  return errors.filter(isColumnError).map(({ field }) => field);
}

/** Returns which columns are missing and where their values can come from, as at most one sentence. */
export function missingText(preview: PreviewHead): string[] {
  const names = missingColumns(preview);
  if (names.length === 0) return [];
  const [noun, what] = names.length === 1 ? ["column", "it"] : ["columns", "them"];
  const how = preview.headings.length > 0
    ? `Choose ${what} below, or enter values.`
    : `Add ${what} with "Edit table".`;
  return [`The file has no ${noun} for ${listText(names.map(labelOf))}. ${how}`];
}

/** Returns whether the meaning of a heading is unknown. */
export function isUnknown(one: Heading): boolean {
  return one.column !== null && !isRead(one) && !KNOWN_COLUMNS.includes(one.column);
}

/** Returns whether an error is about a missing column, which the form for columns shows. */
export function isColumnError({ code }: DocumentError): boolean {
  return code === "missing_column";
}

/** A heading with its index, by which the form names it. */
export interface Numbered extends Heading {
  readonly index: number;
}

/** Columns that are shown in the form at once: each has a select with all fields. */
export const MAX_SHOWN_COLUMNS = 20;

/**
 * Returns the columns of a page of the form, of which `from` is the first, from 0: unknown columns come before those that
 * are read or ignored.
 */
export function shownColumns(preview: PreviewHead, from: number): Numbered[] {
  const all = numbered(preview);
  const sorted = [...all.filter(isUnknown), ...all.filter((one) => !isUnknown(one))];
  return sorted.slice(from, from + MAX_SHOWN_COLUMNS);
}

/** Returns the headings with their indexes. */
export function numbered({ headings }: PreviewHead): Numbered[] {
  return headings.map((heading, index) => ({ ...heading, index }));
}
