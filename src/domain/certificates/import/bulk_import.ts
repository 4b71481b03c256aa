/**
 * `bulk-import/`: a list, or `certificates` in an object, contains PEM texts. `data` in an object contains
 * metadata.
 */

import { z } from "zod";
import { counted } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { ELEMENTS, elementsOf, operation, refusalOf } from "../../../operation/mod.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { quote, REQUIRED } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import {
  choiceOf,
  COUNTS,
  countsOf,
  ImportReport,
  reportOf,
  resultsOf,
  RowResult,
  skippedRow,
  UPDATE_COUNTS,
} from "./responses.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { BulkPemReport, createdReport, importElements, PemList, refusedElements } from "./bulk_pem.ts";
import { type DataError, documentErrors, Table } from "./data_input.ts";
import { type DocumentOutcome, type DocumentRefusal, importDocument } from "./import_document.ts";
import { PemItem } from "./pem_item.ts";
import { mergeErrors } from "./plan.ts";

/** The result of each row. */
const MetadataReport = z.object({
  total: z.int(),
  ...COUNTS,
  ...UPDATE_COUNTS,
  error_count: z.int(),
  results: z.array(RowResult),
});
export type MetadataReport = z.infer<typeof MetadataReport>;

const EXPECTED = "Expected an object with data or certificates, or a list of objects with pem_content";

/**
 * Imports all elements or none. Errors: forbidden, invalid (`failed_certificates`, or {@link MetadataReport} with a
 * `detail`).
 */
export const bulkImport = operation({
  needs: [[authorizeBulkImport, certificates]],
  input: z.union([elementsOf(PemItem), Table, PemList], {
    error: ({ input }) =>
      input === undefined
        ? `The body is empty. ${EXPECTED}.`
        : typeof input === "object" && input !== null
        ? undefined
        : `${EXPECTED}, not ${quote(input)}.`,
  }),
  output: z.union([BulkPemReport, ImportReport, MetadataReport]),
  searchedByRun: ["data", "certificates", ELEMENTS],
  refusal: (findings, body) => {
    if (Array.isArray(body)) return refusedElements(findings, body.length);
    const errors = documentErrors(findings, "data");
    if (isDictionary(body) && !("data" in body)) {
      if ("certificates" in body) return refusalOf(findings);
      errors.push({ row: 0, field: "certificates", message: REQUIRED });
    }
    return refused({ errors, failed: [], skipped: [], rows: [], total: 0 });
  },
  run: async ({ ctx, allowed, input }) => {
    const rows = allowed(certificates);
    if ("parsed" in input) {
      const choice = { onDuplicate: "error" } as const;
      return createdReport(await importElements({ ctx, allowed: rows, elements: input, choice }));
    }
    if ("certificates" in input) {
      const { certificates: elements, ...given } = input;
      if (elements.length === 0) throw invalid({ certificates: ["Expected at least one certificate."] });
      const choice = choiceOf(given, { fallback: "error" });
      return reportOf(await importElements({ ctx, allowed: rows, elements, choice }));
    }
    const { data, format, ...choice } = input;
    const table = { source: data, format: format ?? "json", ...duplicateChoice(choice) } as const;
    return metadataReportOf(await importDocument({ ctx, allowed: rows, field: "data", table }, refused));
  },
});

function duplicateChoice(choice: Parameters<typeof choiceOf>[0]): ReturnType<typeof choiceOf> {
  const refusal = (message: string): AppError =>
    refused({
      errors: [{ row: 0, field: "overwrite", message }],
      failed: [],
      skipped: [],
      rows: [],
      total: 0,
    });
  return choiceOf(choice, { fallback: "error", refusal });
}

function metadataReportOf({ total, ...outcome }: DocumentOutcome): MetadataReport {
  return { total, ...countsOf(outcome), error_count: 0, results: resultsOf(outcome) };
}

/** Returns the refusal, with a result for each row. Findings about the document have the row 0. */
function refused({ errors, failed, skipped, rows, total }: DocumentRefusal): AppError {
  const results = new Map<number, RowResult>(skipped.map((row) => [row.place, skippedRow(row)]));
  for (const { row, field, message } of errors) {
    add(results, { place: row, common_name: "", errors: { [field]: [message] } });
  }
  for (const row of failed) add(results, row);
  const invalid = [...results.values()].some(({ row, status }) => row > 0 && status === "error");
  const reason = `Not stored, because ${invalid ? "other rows have" : "the document has"} errors.`;
  for (const { place: row, body } of rows) {
    const common_name = String(body.common_name ?? "");
    if (!results.has(row)) results.set(row, { row, status: "skipped", common_name, reason });
  }
  const report = countedUp(total, [...results.values()]);
  return new AppError("invalid", { detail: detailOf(errors, report), ...report });
}

function add(
  results: Map<number, RowResult>,
  { place, common_name, errors }: { place: number; common_name: string; errors: FieldErrors },
): void {
  const all = mergeErrors([results.get(place)?.errors ?? {}, errors]);
  results.set(place, { row: place, status: "error", common_name, errors: all });
}

/** Returns the message of the only error in the document, or the number of invalid rows. */
function detailOf(errors: readonly DataError[], { error_count }: MetadataReport): string {
  const [first] = errors;
  if (first?.row === 0 && errors.length === 1 && error_count === 0) return first.message;
  return `Validation failed in ${counted(error_count, "row")}. Nothing was imported.`;
}

function countedUp(total: number, results: RowResult[]): MetadataReport {
  const count = (status: RowResult["status"]): number =>
    results.filter((one) => one.row > 0 && one.status === status).length;
  return {
    total,
    created_count: 0,
    skipped_count: count("skipped"),
    error_count: count("error"),
    results: results.sort((a, b) => a.row - b.row),
  };
}
