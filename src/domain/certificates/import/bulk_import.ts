/** POST /certificates/bulk-import/: a list is PEM, an object is metadata (specification, "alternative body"). */

import type { Context } from "../../../auth/mod.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { bulkImportPem, type BulkPemReport } from "./bulk_pem.ts";
import { type DataError, readDataInput } from "./data_input.ts";
import { type DocumentOutcome, type DocumentRefusal, importDocument } from "./import_document.ts";
import { merged } from "./plan.ts";

/** What became of one row; of a refused import, rows that were good by themselves are not listed. */
export interface RowResult {
  row: number;
  status: "created" | "skipped" | "error";
  id?: number;
  common_name: string;
  errors?: FieldErrors;
}

/** What became of all rows. */
export interface MetadataReport {
  total: number;
  created_count: number;
  skipped_count: number;
  error_count: number;
  results: RowResult[];
}

/** All or nothing. Errors: forbidden, invalid (`failed_certificates`, or {@link MetadataReport} with a `detail`). */
export async function bulkImport(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<BulkPemReport | MetadataReport> {
  if (Array.isArray(input)) return await bulkImportPem({ ctx, input });
  const read = (): ReturnType<typeof readDataInput> =>
    readDataInput(input, { field: "data", formats: ["json", "csv"], lists: true });
  return reportOf(await importDocument({ ctx, field: "data", read }, refused));
}

function reportOf({ created, skipped, total }: DocumentOutcome): MetadataReport {
  return countedUp(total, [
    ...created.map(({ place, object }): RowResult => ({
      row: place,
      status: "created",
      id: object.id as number,
      common_name: object.common_name as string,
    })),
    ...skipped.map(skippedRow),
  ]);
}

function skippedRow({ place, common_name }: { place: number; common_name: string }): RowResult {
  return { row: place, status: "skipped", common_name };
}

function refused({ errors, failed, skipped, total }: DocumentRefusal): AppError {
  const results = new Map<number, RowResult>();
  for (const { row, field, message } of errors) {
    add(results, { place: row, common_name: "", errors: { [field]: [message] } });
  }
  for (const row of failed) add(results, row);
  const report = countedUp(total, [...results.values(), ...skipped.map(skippedRow)]);
  return new AppError("invalid", { detail: detailOf(errors, report), ...report });
}

function add(
  results: Map<number, RowResult>,
  { place, common_name, errors }: { place: number; common_name: string; errors: FieldErrors },
): void {
  const all = merged([results.get(place)?.errors ?? {}, errors]);
  results.set(place, { row: place, status: "error", common_name, errors: all });
}

/** A refusal of the document for one reason gives it at once. */
function detailOf(errors: readonly DataError[], { error_count, results }: MetadataReport): string {
  const [first] = errors;
  if (first?.row === 0 && errors.length === 1 && error_count === 1) return first.message;
  const rows = results.filter(({ row, status }) => row > 0 && status === "error").length;
  return `Validation failed in ${rows === 1 ? "1 row" : `${rows} rows`}. Nothing was imported.`;
}

function countedUp(total: number, results: RowResult[]): MetadataReport {
  const count = (status: RowResult["status"]): number =>
    results.filter((one) => one.status === status).length;
  return {
    total,
    created_count: count("created"),
    skipped_count: count("skipped"),
    error_count: count("error"),
    results: results.sort((a, b) => a.row - b.row),
  };
}
