/**
 * `bulk-import/`: a list, or `certificates` in an object, contains PEM texts. `data` in an object contains
 * metadata.
 */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { AppError, type FieldErrors, invalid } from "../../../base/errors.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { type Condition, isDictionary } from "../../../filters/mod.ts";
import {
  type BodyFinding,
  ELEMENTS,
  type Elements,
  elementsOf,
  fieldErrors,
  objectBody,
  operation,
  refusalOf,
} from "../../../operation/mod.ts";
import { quote, REQUIRED } from "../../../resource/mod.ts";
import { PRIVATE_KEY_MESSAGE } from "../../../x509/mod.ts";
import { certificates } from "../mod.ts";
import {
  choiceOf,
  COUNTS,
  countsOf,
  createdOf,
  DUPLICATE_FIELDS,
  ImportedBrief,
  ImportReport,
  reportOf,
  resultsOf,
  RowResult,
  UPDATE_COUNTS,
} from "./responses.ts";
import { authorizeBulkImport } from "./authorize_import.ts";
import { type DocumentRefusal, importDocument } from "./bulk_data.ts";
import { documentErrors, Table } from "./data_input.ts";
import { importRows } from "./import_rows.ts";
import { PemItem, readPemElement } from "./pem_item.ts";
import { type DuplicateRule, type ImportOutcome, type ImportRow, mergeErrors } from "./rows.ts";

/** The created certificates, in the order of the elements. */
const BulkPemReport = z.object({
  created_count: z.int(),
  certificates: z.array(ImportedBrief.omit({ url: true })),
});

const RULE = { noun: "item", field: "pem_content" } as const;

/** A list in an object, which can also say how to handle existing certificates. */
const PemList = objectBody({
  certificates: elementsOf(PemItem).describe("Certificates, as in the list."),
  ...DUPLICATE_FIELDS,
});

/** The result of each row. */
const MetadataReport = z.object({
  total: z.int(),
  ...COUNTS,
  ...UPDATE_COUNTS,
  error_count: z.int(),
  results: z.array(RowResult),
});
type MetadataReport = z.infer<typeof MetadataReport>;

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
    return refused({ errors, rows: [], total: 0 });
  },
  run: async ({ ctx, allowed, input }) => {
    const rows = allowed(certificates);
    if ("parsed" in input) {
      const choice = { onDuplicate: "error" } as const;
      const outcome = await importElements({ ctx, allowed: rows, elements: input, choice });
      const created = createdOf(outcome).map(({ id, common_name, serial_number, status, valid_to }) => ({
        id,
        common_name,
        serial_number,
        status,
        valid_to,
      }));
      return { created_count: created.length, certificates: created };
    }
    if ("certificates" in input) {
      const { certificates: elements, ...given } = input;
      if (elements.length === 0) throw invalid({ certificates: ["Expected at least one certificate."] });
      const choice = choiceOf(given, { fallback: "error" });
      return reportOf(await importElements({ ctx, allowed: rows, elements, choice }));
    }
    const { data: source, format, ...choice } = input;
    const table = { source, format: format ?? "json", ...choice } as const;
    const outcome = await importDocument({ ctx, allowed: rows, field: "data", table }, refused);
    return { total: outcome.total, ...countsOf(outcome), error_count: 0, results: resultsOf(outcome) };
  },
});

/** Returns the refusal, with a result for each row. Findings about the document have the row 0. */
function refused({ errors, rows, total }: DocumentRefusal): AppError {
  const found = new Map(rows.map(({ place, errors }) => [place, errors]));
  for (const { row, field, message } of errors) {
    found.set(row, mergeErrors([found.get(row) ?? {}, { [field]: [message] }]));
  }
  const isWrong = (row: number): boolean => Object.keys(found.get(row) ?? {}).length > 0;
  const invalid = [...found.keys()].filter((row) => row > 0 && isWrong(row)).length;
  const reason = `Not stored, because ${invalid > 0 ? "other rows have" : "the document has"} errors.`;
  const planned = new Map(rows.map((row) => [row.place, row]));
  const results = [...found].sort(([a], [b]) => a - b).map(([row, errors]): RowResult => {
    const { status, common_name = "" } = planned.get(row) ?? {};
    if (isWrong(row)) return { row, status: "error", common_name, errors };
    return { row, status: "skipped", common_name, ...(status === "skip" ? {} : { reason }) };
  });
  const skipped = results.filter(({ status }) => status === "skipped").length;
  const [first] = errors;
  const detail = first?.row === 0 && errors.length === 1 && invalid === 0
    ? first.message
    : `Validation failed in ${counted(invalid, "row")}. Nothing was imported.`;
  const report: MetadataReport = {
    total,
    created_count: 0,
    skipped_count: skipped,
    error_count: invalid,
    results,
  };
  return new AppError("invalid", { detail, ...report });
}

/**
 * Imports the elements of a list; all or nothing. Returns what was created, and the whole outcome. Errors: invalid
 * (`failed_certificates`).
 */
async function importElements(
  { ctx, allowed, elements, choice }: {
    ctx: Context;
    allowed: Condition;
    elements: Elements<PemItem>;
    choice: Pick<DuplicateRule, "onDuplicate" | "overwrite">;
  },
): Promise<ImportOutcome> {
  const { length } = elements;
  const max = ctx.settings.bulkImportMaxBatchSize;
  if (length === 0) throw new AppError("invalid", "Expected a list with at least one certificate.");
  if (length > max) {
    throw new AppError("invalid", `Batch too large: expected at most ${max} certificates, not ${length}.`);
  }
  const pause = pacer();
  const rows: ImportRow[] = [];
  for (const element of elements.parsed()) {
    rows.push(await inSlices(readPemElement(element, rows.length), pause));
  }
  return await importRows(
    { ctx, allowed, rows, rule: { ...RULE, ...choice } },
    (planned) =>
      elementsRefused(
        planned.filter(({ status }) => status === "error")
          .map(({ place: index, errors }) => ({ index, errors: keysOr(errors) })),
        length,
      ),
  );
}

/** Returns the errors about private keys alone, if there are any: others could repeat parts of the item. */
function keysOr(errors: FieldErrors): FieldErrors {
  const keys = Object.entries(errors).filter(([, messages]) => messages.includes(PRIVATE_KEY_MESSAGE));
  return keys.length === 0 ? errors : Object.fromEntries(keys.map(([name]) => [name, [PRIVATE_KEY_MESSAGE]]));
}

/** Returns the refusal of a list for findings from before its elements were parsed. */
function refusedElements(findings: readonly BodyFinding[], length: number): AppError {
  const byElement = Map.groupBy(findings, ({ path: [index] }) => Number(index));
  const failed = [...byElement].map(([index, found]) => ({
    index,
    errors: fieldErrors(
      found.map(({ path, message }) => ({
        path: path.length > 1 ? path.slice(1) : ["pem_content"],
        message,
      })),
    ),
  }));
  return elementsRefused(failed, length);
}

function elementsRefused(
  failed: readonly { index: number; errors: FieldErrors }[],
  length: number,
): AppError {
  return new AppError("invalid", {
    detail: `${failed.length} of ${counted(length, "certificate")} failed validation. Nothing was imported.`,
    failed_certificates: failed,
  });
}
