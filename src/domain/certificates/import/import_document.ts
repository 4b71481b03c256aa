/** Imports a metadata document, for `bulk-import/` and `bulk-data-import/`. */

import type { Context } from "../../../auth/mod.ts";
import type { AppError } from "../../../base/errors.ts";
import type { Condition } from "../../../filters/mod.ts";
import { readDocument } from "./data_document.ts";
import type { DataError, DataTable } from "./data_input.ts";
import { importRows } from "./import_rows.ts";
import type { FailedRow, ImportOutcome, ImportRow, SkippedRow } from "./rows.ts";

/** Why a document was refused. */
export interface DocumentRefusal {
  readonly errors: readonly DataError[];
  readonly failed: readonly FailedRow[];
  readonly skipped: readonly SkippedRow[];
  /** The rows that were read; none if that failed. */
  readonly rows: readonly ImportRow[];
  /** Number of data rows. */
  readonly total: number;
}

/** Result of importing a document. */
export type DocumentOutcome = ImportOutcome & { readonly total: number };

/** Imports all rows of a document or none. Errors: what `refusal` returns for the findings. */
export async function importDocument(
  { ctx, allowed, field, table }: { ctx: Context; allowed: Condition; field: string; table: DataTable },
  refusal: (why: DocumentRefusal) => AppError,
): Promise<DocumentOutcome> {
  const { source, format, ...choice } = table;
  const { importMaxRows: maxRows, bulkImportMaxBatchSize: maxCertificates } = ctx.settings;
  const { rows, errors, total } = await readDocument({ source, format }, { field, maxRows, maxCertificates });
  if (rows.length === 0) throw refusal({ errors, failed: [], skipped: [], rows, total });
  const rule = { ...choice, noun: "row", field: "serial_number" } as const;
  const outcome = await importRows(
    { ctx, allowed, rows, rule, refused: errors.length > 0 },
    (failed, skipped) => refusal({ errors, failed: withoutColumns(failed, errors), skipped, rows, total }),
  );
  return { ...outcome, total };
}

/** Removes errors of cells whose column already has an error as a whole. */
export function withoutColumns(failed: readonly FailedRow[], errors: readonly DataError[]): FailedRow[] {
  const columns = new Set(errors.filter(({ row }) => row === 0).map(({ field }) => field));
  return failed.flatMap((row) => {
    const own = Object.entries(row.errors).filter(([field]) => !columns.has(field));
    return own.length === 0 ? [] : [{ ...row, errors: Object.fromEntries(own) }];
  });
}
