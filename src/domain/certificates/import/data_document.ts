/** Reads a document of metadata: its rows, and all that is wrong with it. Pure. */

import {
  readCsv,
  readJsonRows,
  readObjects,
  type RowFinding,
  type TableOptions,
} from "../../../formats/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE, searchingKey } from "../../../x509/mod.ts";
import { KNOWN_COLUMNS, REQUIRED_COLUMNS } from "./data_columns.ts";
import type { DataError, DataInput } from "./data_input.ts";
import { type CellForm, readDataRow } from "./data_row.ts";
import type { ImportRow } from "./rows.ts";

/** What a document holds. What is wrong within a row stands in the row; the rest among the errors. */
export interface DataDocument {
  readonly rows: readonly ImportRow[];
  readonly errors: readonly DataError[];
  /** Rows of data, those that could not be read included. */
  readonly total: number;
  readonly form: CellForm;
}

/**
 * Reads a document, in slices. One that holds a private key is not looked at any further.
 * @param field under which the document came.
 * @param maxRows rows at the most; a longer document is not read.
 */
export function* readDocument(
  { source, format }: Pick<DataInput, "source" | "format">,
  { field, maxRows }: { field: string; maxRows: number },
): Generator<void, DataDocument> {
  const form = format === "auto" ? formOf(source) : format;
  const options = { columns: KNOWN_COLUMNS, required: REQUIRED_COLUMNS, maxRows };
  const { rows: read, findings } = readTable(source, { form, options });
  const tooMany = findings.find(({ code }) => code === "too_many_rows");
  if (tooMany !== undefined) return { rows: [], errors: [tooLarge(tooMany, field)], total: 0, form };
  const rows: ImportRow[] = [];
  for (const row of read) {
    yield;
    rows.push(yield* readDataRow(row, form));
  }
  const lost = new Set(findings.map(({ row }) => row).filter((row) => row > 0));
  for (const { place } of rows) lost.delete(place);
  const total = rows.length + lost.size;
  const keys = yield* keyErrors(rows, { source, findings, field });
  if (keys.length > 0) return { rows: [], errors: keys, total, form };
  const errors = findings.map((finding) => errorOf(finding, field));
  if (total === 0 && errors.length === 0) {
    errors.push({ row: 0, field, message: "Expected at least one row of data." });
  }
  return { rows, errors, total, form };
}

/** JSON by its first character: no CSV begins with a bracket, for no column does. */
function formOf(source: DataInput["source"]): CellForm {
  return typeof source !== "string" || /^\ufeff?\s*[[{]/.test(source) ? "json" : "csv";
}

function readTable(
  source: DataInput["source"],
  { form, options }: { form: CellForm; options: TableOptions },
): {
  rows: readonly { row: number; cells: Readonly<Record<string, unknown>> }[];
  findings: readonly RowFinding[];
} {
  if (typeof source !== "string") return readObjects(source, options);
  return form === "csv" ? readCsv(source, options) : readJsonRows(source, options);
}

const WAY_OUT = "Import it in parts, or have CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE raised.";

function tooLarge({ message }: RowFinding, field: string): DataError {
  return {
    row: 0,
    field,
    message: `Batch too large: ${message.slice(0, 1).toLowerCase()}${message.slice(1)} ${WAY_OUT}`,
  };
}

/** Names that nobody knows concern the document, whichever row has them first. */
function errorOf({ code, row, column, message }: RowFinding, field: string): DataError {
  return {
    row: code === "unknown_column" ? 0 : row,
    field: column ?? (row === 0 ? field : "__all__"),
    message,
  };
}

/** Where private keys are: in which cells if that can be told, else in the document. */
function* keyErrors(
  rows: readonly ImportRow[],
  { source, findings, field }: {
    source: DataInput["source"];
    findings: readonly RowFinding[];
    field: string;
  },
): Generator<void, DataError[]> {
  const cells = rows.flatMap(({ place, errors }) =>
    Object.entries(errors).filter(([, messages]) => messages.includes(PRIVATE_KEY_MESSAGE))
      .map(([column]) => ({ row: place, field: column, message: PRIVATE_KEY_MESSAGE }))
  );
  if (cells.length > 0) return cells;
  const elsewhere = (typeof source === "string" && (yield* searchingKey(source))) ||
    findings.some(({ column }) => column !== undefined && holdsPrivateKey(column));
  return elsewhere ? [{ row: 0, field, message: PRIVATE_KEY_MESSAGE }] : [];
}
