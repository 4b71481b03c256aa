/** Imports tables: as text in `bulk-data-import/`, and in `bulk-import/`. */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { AppError } from "../../../base/errors.ts";
import type { Condition } from "../../../filters/mod.ts";
import { operation } from "../../../operation/mod.ts";
import { certificates } from "../mod.ts";
import {
  choiceOf,
  COUNTS_WITH_RESULTS,
  countsWithResults,
  createdOf,
  type DuplicateChoice,
  ImportedBrief,
} from "./responses.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { readDocument } from "./data_document.ts";
import { type DataError, type DataTable, documentErrors, TextTable } from "./data_input.ts";
import { importRows } from "./import_rows.ts";
import type { ImportOutcome, PlannedRow } from "./rows.ts";

/** Why a document was refused. */
export interface DocumentRefusal {
  readonly errors: readonly DataError[];
  /** The plan of the rows; none if they could not be read. */
  readonly rows: readonly PlannedRow[];
  /** Number of data rows. */
  readonly total: number;
}

/** Imports all rows of a document or none. Errors: what `refusal` returns for the findings. */
export async function importDocument(
  { ctx, allowed, field, table: { source, format, ...choice } }: {
    ctx: Context;
    allowed: Condition;
    field: string;
    table: DataTable & DuplicateChoice;
  },
  refusal: (why: DocumentRefusal) => AppError,
): Promise<ImportOutcome & { readonly total: number }> {
  const rule = choiceOf(choice, {
    fallback: "error",
    refusal: (message) => refusal({ errors: [{ row: 0, field: "overwrite", message }], rows: [], total: 0 }),
  });
  const { importMaxRows: maxRows, bulkImportMaxBatchSize: maxCertificates } = ctx.settings;
  const { rows, errors, total } = await readDocument({ source, format }, { field, maxRows, maxCertificates });
  if (rows.length === 0) throw refusal({ errors, rows: [], total });
  const outcome = await importRows(
    {
      ctx,
      allowed,
      rows,
      rule: { ...rule, noun: "row", field: "serial_number" },
      refused: errors.length > 0,
    },
    (planned) => refusal({ errors, rows: withoutColumns(planned, errors), total }),
  );
  return { ...outcome, total };
}

/** Removes errors of cells whose column already has an error as a whole. */
export function withoutColumns(rows: readonly PlannedRow[], errors: readonly DataError[]): PlannedRow[] {
  const columns = new Set(errors.filter(({ row }) => row === 0).map(({ field }) => field));
  return rows.map((row) => {
    if (row.status !== "error") return row;
    const own = Object.entries(row.errors).filter(([field]) => !columns.has(field));
    return { ...row, status: own.length === 0 ? "create" : "error", errors: Object.fromEntries(own) };
  });
}

const CREATED = { id: true, common_name: true, serial_number: true, status: true } as const;

/** The created certificates, in the order of the rows. */
const BulkDataReport = z.object({
  ...COUNTS_WITH_RESULTS,
  certificates: z.array(ImportedBrief.pick(CREATED)),
});

/** Imports all rows of a table or none. Errors: forbidden, invalid (`errors` by row and field). */
export const bulkImportData = operation({
  needs: [[authorizeBulkImport, certificates]],
  input: TextTable,
  output: BulkDataReport,
  searchedByRun: ["content"],
  refusal: (findings) => refused({ errors: documentErrors(findings, "content"), rows: [] }),
  run: async ({ ctx, allowed, input: { content: source, format, ...choice } }) => {
    const table = { source, format: format ?? "auto", ...choice } as const;
    const outcome = await importDocument(
      { ctx, allowed: allowed(certificates), field: "content", table },
      refused,
    );
    return {
      ...countsWithResults(outcome),
      certificates: createdOf(outcome).map(({ id, common_name, serial_number, status }) => ({
        id,
        common_name,
        serial_number,
        status,
      })),
    };
  },
});

function refused({ errors, rows }: Pick<DocumentRefusal, "errors" | "rows">): AppError {
  const ofCells = rows.flatMap(({ place: row, errors }) =>
    Object.entries(errors).flatMap(([field, messages]) =>
      messages.map((message) => ({ row, field, message }))
    )
  );
  const all = [...errors.map(({ code: _, ...error }) => error), ...ofCells].sort((a, b) => a.row - b.row);
  return new AppError("invalid", { detail: detailOf(all), errors: all });
}

/** Returns the message of the only error, or a summary of several. */
function detailOf(errors: readonly DataError[]): string {
  const [first] = errors;
  if (first !== undefined && errors.length === 1 && first.row === 0) return first.message;
  const rows = new Set(errors.map(({ row }) => row).filter((row) => row > 0)).size;
  const where = rows === 0 ? "" : ` in ${counted(rows, "row")}`;
  return `Validation failed: ${counted(errors.length, "error")}${where}. Nothing was imported.`;
}
