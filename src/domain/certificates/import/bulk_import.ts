/** `bulk-import/`: a list contains PEM texts, `data` in an object a table; and tables as text in `bulk-data-import/`. */

import { z } from "zod";
import type { Context } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { AppError } from "../../../base/errors.ts";
import {
  encoded,
  type Finding,
  issue,
  type RowMessage,
  rowMessages,
  textOf,
  textsByField,
} from "../../../base/findings.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import {
  type BodyFinding,
  ELEMENTS,
  type Elements,
  elementsOf,
  fieldErrors,
  operation,
} from "../../../operation/mod.ts";
import { unexpected } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { readDocument } from "./data_document.ts";
import { importRows } from "./import_rows.ts";
import { PemItem, readPemElement } from "./pem_item.ts";
import {
  authorizeBulkImport,
  choiceOf,
  COUNTS,
  COUNTS_WITH_RESULTS,
  countsOf,
  countsWithResults,
  createdOf,
  type DataError,
  type DataTable,
  documentErrors,
  type DuplicateChoice,
  ImportedBrief,
  resultsOf,
  RowResult,
  Table,
  TextTable,
  UPDATE_COUNTS,
} from "./responses.ts";
import { distinctFindings, type ImportOutcome, type ImportRow, type PlannedRow } from "./rows.ts";

/** Why a document was refused. */
interface DocumentRefusal {
  readonly errors: readonly DataError[];
  /** The plan of the rows; none if they could not be read. */
  readonly rows: readonly PlannedRow[];
  /** Number of data rows. */
  readonly total: number;
}

/** Imports all rows of a document or none. Errors: what `refusal` returns for the findings. */
async function importDocument(
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
    refusal: (one) => refusal({ errors: [{ ...one, row: 0 }], rows: [], total: 0 }),
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
function withoutColumns(rows: readonly PlannedRow[], errors: readonly DataError[]): PlannedRow[] {
  const columns = new Set(errors.filter(({ row }) => row === 0).map(({ field }) => field));
  return rows.map((row) => {
    if (row.status !== "error") return row;
    const errors = row.errors.filter(({ field = "" }) => !columns.has(field));
    return { ...row, status: errors.length === 0 ? "create" : "error", errors };
  });
}

const CreatedRow = ImportedBrief.pick({ id: true, common_name: true, serial_number: true, status: true });

/** The created certificates, in the order of the rows. */
const BulkDataReport = z.object({
  ...COUNTS_WITH_RESULTS,
  certificates: z.array(CreatedRow),
});

/** Imports all rows of a table or none. Errors: forbidden, invalid (`errors` by row and field). */
export const bulkImportData = operation({
  needs: [[authorizeBulkImport, certificates]],
  input: TextTable,
  output: BulkDataReport,
  searchedByRun: ["content"],
  refusal: (findings) => refusedTable({ errors: documentErrors(findings, "content"), rows: [] }),
  run: async ({ ctx, allowed, input: { content: source, format, ...choice } }) => {
    const table = { source, format: format ?? "auto", ...choice } as const;
    const outcome = await importDocument(
      { ctx, allowed: allowed(certificates), field: "content", table },
      refusedTable,
    );
    return { ...countsWithResults(outcome), certificates: createdOf(outcome, CreatedRow) };
  },
});

function refusedTable({ errors, rows }: Pick<DocumentRefusal, "errors" | "rows">): AppError {
  const ofRows = rows.flatMap(({ place: row, errors }) => errors.map((one) => ({ ...one, row })));
  const all = rowMessages([...errors, ...ofRows]);
  return new AppError("invalid", { detail: detailOf(all), errors: all });
}

/** Returns the message of the only error, or a summary of several. */
function detailOf(errors: readonly RowMessage[]): string {
  const [first] = errors;
  if (first !== undefined && errors.length === 1 && first.row === 0) return first.message;
  const rows = new Set(errors.map(({ row }) => row).filter((row) => row > 0)).size;
  const where = rows === 0 ? "" : ` in ${counted(rows, "row")}`;
  return `Validation failed: ${counted(errors.length, "error")}${where}. Nothing was imported.`;
}

/** The created certificates, in the order of the elements. */
const Created = ImportedBrief.omit({ url: true });
const BulkPemReport = z.object({ created_count: z.int(), certificates: z.array(Created) });

const RULE = { onDuplicate: "error", noun: "item", field: "pem_content" } as const;

/** The result of each row. */
const MetadataReport = z.object({
  total: z.int(),
  ...COUNTS,
  ...UPDATE_COUNTS,
  error_count: z.int(),
  results: z.array(RowResult),
});
type MetadataReport = z.infer<typeof MetadataReport>;

const EXPECTED = "an object with data, or a list of objects with pem_content";

/**
 * Imports all elements or none. Errors: forbidden, invalid (`failed_certificates`, or {@link MetadataReport} with a
 * `detail`).
 */
export const bulkImport = operation({
  needs: [[authorizeBulkImport, certificates]],
  input: z.union([elementsOf(PemItem), Table], {
    error: ({ input }) =>
      input === undefined
        ? issue("empty_import", { expected: EXPECTED })
        : typeof input === "object" && input !== null
        ? undefined
        : encoded(unexpected(EXPECTED, input)),
  }),
  output: z.union([BulkPemReport, MetadataReport]),
  searchedByRun: ["data", ELEMENTS],
  refusal: (findings, body) => {
    if (Array.isArray(body)) return refusedElements(findings, body.length);
    return refused({ errors: documentErrors(findings, "data"), rows: [], total: 0 });
  },
  run: async ({ ctx, allowed, input }) => {
    const rows = allowed(certificates);
    if ("parsed" in input) {
      const created = createdOf(await importElements({ ctx, allowed: rows, elements: input }), Created);
      return { created_count: created.length, certificates: created };
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
  for (const one of errors) found.set(one.row, distinctFindings([...found.get(one.row) ?? [], one]));
  const isWrong = (row: number): boolean => (found.get(row) ?? []).length > 0;
  const invalid = [...found.keys()].filter((row) => row > 0 && isWrong(row)).length;
  const reason = `Not stored, because ${invalid > 0 ? "other rows have" : "the document has"} errors.`;
  const planned = new Map(rows.map((row) => [row.place, row]));
  const results = [...found].sort(([a], [b]) => a - b).map(([row, errors]): RowResult => {
    const { status, common_name = "" } = planned.get(row) ?? {};
    if (isWrong(row)) return { row, status: "error", common_name, errors: textsByField(errors) };
    return { row, status: "skipped", common_name, ...(status === "skip" ? {} : { reason }) };
  });
  const skipped = results.filter(({ status }) => status === "skipped").length;
  const [first] = errors;
  const detail = first?.row === 0 && errors.length === 1 && invalid === 0
    ? textOf(first)
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
  { ctx, allowed, elements }: { ctx: Context; allowed: Condition; elements: Elements<PemItem> },
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
    { ctx, allowed, rows, rule: RULE },
    (planned) =>
      elementsRefused(
        planned.filter(({ status }) => status === "error")
          .map(({ place: index, errors }) => ({ index, findings: keysOr(errors) })),
        length,
      ),
  );
}

/** Returns the errors about private keys alone, if there are any: others could repeat parts of the item. */
function keysOr(errors: readonly Finding[]): readonly Finding[] {
  const keys = errors.filter(({ code }) => code === "private_key");
  return keys.length === 0 ? errors : keys;
}

/** Returns the refusal of a list for findings from before its elements were parsed. */
function refusedElements(findings: readonly BodyFinding[], length: number): AppError {
  const byElement = Map.groupBy(findings, ({ path: [index] }) => Number(index));
  const failed = [...byElement].map(([index, found]) => ({
    index,
    findings: fieldErrors(
      found.map((one) => ({ ...one, path: one.path.length > 1 ? one.path.slice(1) : ["pem_content"] })),
    ),
  }));
  return elementsRefused(failed, length);
}

function elementsRefused(
  failed: readonly { index: number; findings: readonly Finding[] }[],
  length: number,
): AppError {
  return new AppError("invalid", {
    detail: `${failed.length} of ${counted(length, "certificate")} failed validation. Nothing was imported.`,
    failed_certificates: failed.map(({ index, findings }) => ({ index, errors: textsByField(findings) })),
  });
}
