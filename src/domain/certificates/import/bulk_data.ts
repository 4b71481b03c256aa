/** Imports metadata from CSV or JSON text (specification, POST /certificates/bulk-data-import/). */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { counted, type ImportedBrief, picked } from "./answers.ts";
import { type DataError, readDataInput } from "./data_input.ts";
import { type DocumentRefusal, importDocument } from "./import_document.ts";

/** What was created, in the order of the rows. */
export interface BulkDataReport {
  created_count: number;
  skipped_count: number;
  certificates: Pick<ImportedBrief, "id" | "common_name" | "serial_number" | "status">[];
}

/** `{content, format?, on_duplicate?}`; all or nothing. Errors: forbidden, invalid (`errors` by row and field). */
export async function bulkImportData(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<BulkDataReport> {
  const read = (): ReturnType<typeof readDataInput> =>
    readDataInput(input, { field: "content", formats: ["auto", "csv", "json"], lists: false });
  const { created, skipped } = await importDocument({ ctx, field: "content", read }, refused);
  return {
    created_count: created.length,
    skipped_count: skipped.length,
    certificates: created.map(({ object }) =>
      picked(object, ["id", "common_name", "serial_number", "status"])
    ),
  };
}

function refused({ errors, failed }: DocumentRefusal): AppError {
  const all = [
    ...errors,
    ...failed.flatMap(({ place, errors }) =>
      Object.entries(errors).flatMap(([field, messages]) =>
        messages.map((message): DataError => ({ row: place, field, message }))
      )
    ),
  ].sort((a, b) => a.row - b.row);
  return new AppError("invalid", { detail: detailOf(all), errors: all });
}

/** A refusal for one reason gives it at once. */
function detailOf(errors: readonly DataError[]): string {
  const [first] = errors;
  if (first !== undefined && errors.length === 1 && first.row === 0) return first.message;
  const rows = new Set(errors.map(({ row }) => row).filter((row) => row > 0)).size;
  const where = rows === 0 ? "" : ` in ${counted(rows, "row")}`;
  return `Validation failed: ${counted(errors.length, "error")}${where}. Nothing was imported.`;
}
