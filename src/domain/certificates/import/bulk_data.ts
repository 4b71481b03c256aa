/** Imports metadata from CSV, JSON, YAML or PEM text: `bulk-data-import/`. */

import { z } from "zod";
import { counted } from "../../../base/amounts.ts";
import { AppError } from "../../../base/errors.ts";
import { operation } from "../../../operation/mod.ts";
import { certificates } from "../mod.ts";
import { choiceOf, COUNTS_WITH_RESULTS, countsWithResults, ImportedBrief } from "./responses.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { type DataError, documentErrors, TextTable } from "./data_input.ts";
import { type DocumentRefusal, importDocument } from "./import_document.ts";

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
  refusal: (findings) => refused(documentErrors(findings, "content")),
  run: async ({ ctx, allowed, input: { content, format, ...choice } }) => {
    const table = { source: content, format: format ?? "auto", ...duplicateChoice(choice) } as const;
    const outcome = await importDocument(
      { ctx, allowed: allowed(certificates), field: "content", table },
      ({ errors, failed }) => refused([...errors, ...cellErrors(failed)]),
    );
    return {
      ...countsWithResults(outcome),
      certificates: outcome.created.map(({ object: { id, common_name, serial_number, status } }) => ({
        id,
        common_name,
        serial_number,
        status,
      })),
    };
  },
});

function duplicateChoice(choice: Parameters<typeof choiceOf>[0]): ReturnType<typeof choiceOf> {
  const refusal = (message: string): AppError => refused([{ row: 0, field: "overwrite", message }]);
  return choiceOf(choice, { fallback: "error", refusal });
}

function cellErrors(failed: DocumentRefusal["failed"]): DataError[] {
  return failed.flatMap(({ place, errors }) =>
    Object.entries(errors).flatMap(([field, messages]) =>
      messages.map((message) => ({ row: place, field, message }))
    )
  );
}

function refused(errors: readonly DataError[]): AppError {
  const all = errors.toSorted((a, b) => a.row - b.row);
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
