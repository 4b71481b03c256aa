/** Imports a document of metadata: what its two doors share. */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { inSlices } from "../../../base/pace.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { readDocument } from "./data_document.ts";
import type { DataError, DataInput } from "./data_input.ts";
import { importRows } from "./import_rows.ts";
import type { FailedRow, ImportOutcome, SkippedRow } from "./rows.ts";

/** Why a document was refused. */
export interface DocumentRefusal {
  readonly errors: readonly DataError[];
  readonly failed: readonly FailedRow[];
  readonly skipped: readonly SkippedRow[];
  /** Rows of data. */
  readonly total: number;
}

/** What was done with a document. */
export type DocumentOutcome = ImportOutcome & { readonly total: number };

/**
 * Imports the rows of a document; all or nothing. Errors: forbidden; what `refusal` makes of the findings.
 * @param read gives the call's parameters, or what is wrong with them.
 */
export async function importDocument(
  { ctx, field, read }: { ctx: Context; field: string; read: () => DataInput | DataError[] },
  refusal: (why: DocumentRefusal) => AppError,
): Promise<DocumentOutcome> {
  const allowed = authorizeBulkImport(ctx);
  const input = read();
  if (Array.isArray(input)) {
    throw refusal({ errors: input as DataError[], failed: [], skipped: [], total: 0 });
  }
  const { source, format, onDuplicate } = input as DataInput;
  const maxRows = ctx.settings.bulkImportMaxBatchSize;
  const { rows, errors, total } = await inSlices(readDocument({ source, format }, { field, maxRows }));
  if (rows.length === 0) throw refusal({ errors, failed: [], skipped: [], total });
  const rule = { onDuplicate, noun: "row", field: "serial_number" } as const;
  const outcome = await importRows(
    { ctx, allowed, rows, rule, refused: errors.length > 0 },
    (failed, skipped) => refusal({ errors, failed: withoutColumns(failed, errors), skipped, total }),
  );
  return { ...outcome, total };
}

/** What is wrong with a whole column is not said again of each of its cells. */
export function withoutColumns(failed: readonly FailedRow[], errors: readonly DataError[]): FailedRow[] {
  const columns = new Set(errors.filter(({ row }) => row === 0).map(({ field }) => field));
  return failed.flatMap((row) => {
    const own = Object.entries(row.errors).filter(([field]) => !columns.has(field));
    return own.length === 0 ? [] : [{ ...row, errors: Object.fromEntries(own) }];
  });
}
