/** Parses a metadata document into rows and errors. Has no side effects. */

import {
  isYamlList,
  loadYamlReader,
  type NamedColumn,
  readCsv,
  readJsonRows,
  readObjectList,
  type RowFinding,
  type Table,
  type TableOptions,
} from "../../../formats/mod.ts";
import { inSlices } from "../../../base/pace.ts";
import { decideDates } from "../../../base/spellings/dates.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import { CUSTOM_PREFIX, type Values } from "../../../resource/mod.ts";
import { holdsPrivateKey, PRIVATE_KEY_MESSAGE, searchingKey } from "../../../x509/mod.ts";
import { columnMeant, KNOWN_COLUMNS, REQUIRED_COLUMNS } from "./columns.ts";
import type { DataError, DataFormat, DataTable } from "./data_input.ts";
import { isBlank, readDataRow } from "./data_row.ts";
import { isPemDocument, readPemDocument } from "./pem_document.ts";
import type { ImportRow } from "./rows.ts";
import { DATE_COLUMNS, type DateDecisions, isDateText, normalizeCells } from "./spreadsheet_cells.ts";

/** A parsed document. Errors in a row are in the row, all others in `errors`. */
export interface DataDocument {
  readonly rows: readonly ImportRow[];
  readonly errors: readonly DataError[];
  /** Number of data rows, including unreadable ones. */
  readonly total: number;
  readonly form: DataFormat;
  /** The columns, with their names in the document. */
  readonly named: readonly NamedColumn[];
}

/** How to read a document from a spreadsheet: its headings, and later corrections. */
export interface SpreadsheetReading {
  /** The column for a heading, null for none, where a person has chosen it. */
  readonly chosen: ReadonlyMap<string, string | null>;
  /**
   * Texts by row and column that replace those of the document. Those of row 0 fill the empty cells of all rows;
   * their columns are not missing.
   */
  readonly edits: ReadonlyMap<number, Readonly<Record<string, string>>>;
}

/** Options of {@link readDocument}. */
export interface ReadingOptions {
  /** Name of the field with the document, for errors. */
  readonly field: string;
  /** Maximum number of rows; a longer document is not parsed. */
  readonly maxRows: number;
  /** Maximum number of rows for PEM, where each row is parsed. */
  readonly maxCertificates: number;
  /** If absent, columns and cells must be as exports write them. */
  readonly spreadsheet?: SpreadsheetReading;
}

/** Parses a document, in slices. Stops when it contains a private key. */
export async function readDocument(
  { source, format }: DataTable,
  options: ReadingOptions,
): Promise<DataDocument> {
  const form = format === "auto" ? formOf(source) : format;
  const readYaml = form === "yaml" ? await loadYamlReader() : undefined;
  return await inSlices(readingDocument({ source, form, readYaml }, options));
}

type ReadYaml = Awaited<ReturnType<typeof loadYamlReader>>;

/** A document whose format is known. */
interface Detected {
  readonly source: DataTable["source"];
  readonly form: DataFormat;
  /** Present for YAML. */
  readonly readYaml: ReadYaml | undefined;
}

function* readingDocument(
  { source, form, readYaml }: Detected,
  {
    field,
    maxRows,
    maxCertificates,
    spreadsheet,
  }: ReadingOptions,
): Generator<void, DataDocument> {
  if (form === "pem") return yield* readPemDocument(source, { field, maxRows: maxCertificates });
  const options = {
    columns: KNOWN_COLUMNS,
    prefix: CUSTOM_PREFIX,
    required: REQUIRED_COLUMNS,
    maxRows,
    columnOf: spreadsheet === undefined ? undefined : columnReader(spreadsheet),
  };
  let table = yield* readTable({ source, form, readYaml }, options);
  const others = spreadsheet === undefined
    ? []
    : table.named.filter((one) => holdsOtherHashes(one, spreadsheet));
  if (spreadsheet !== undefined && others.length > 0) {
    const chosen = new Map([...spreadsheet.chosen, ...others.map(({ name }) => [name, null] as const)]);
    table = yield* readTable({ source, form, readYaml }, {
      ...options,
      columnOf: columnReader({ ...spreadsheet, chosen }),
    });
  }
  const { rows: read, findings, named } = spreadsheet === undefined ? table : edited(table, spreadsheet);
  const tooMany = findings.find(({ code }) => code === "too_many_rows");
  if (tooMany !== undefined) {
    return { rows: [], errors: [tooLarge(tooMany, field)], total: 0, form, named };
  }
  const rows: ImportRow[] = [];
  for (const row of read) {
    yield;
    rows.push(yield* readDataRow(row, form === "csv" || spreadsheet?.edits.has(row.row) ? "csv" : "json"));
  }
  const lost = new Set(findings.map(({ row }) => row).filter((row) => row > 0));
  for (const { place } of rows) lost.delete(place);
  const total = rows.length + lost.size;
  const keys = yield* keyErrors(rows, { source, findings, field });
  if (keys.length > 0) return { rows: [], errors: keys, total, form, named };
  // A spreadsheet can have columns that are not imported; its preview names them.
  const errors = findings.filter(({ code }) => spreadsheet === undefined || code !== "unknown_column")
    .map((finding) => errorOf(finding, field));
  if (total === 0 && errors.length === 0) {
    errors.push({ row: 0, field, message: "Expected at least one row of data." });
  }
  return { rows, errors, total, form, named };
}

/** Detects the format by the first characters. No column name in CSV begins with these. */
function formOf(source: DataTable["source"]): DataFormat {
  if (typeof source !== "string" || /^\ufeff?\s*[[{]/.test(source)) return "json";
  if (isPemDocument(source)) return "pem";
  return isYamlList(source) ? "yaml" : "csv";
}

function* readTable(
  { source, form, readYaml }: Detected,
  options: TableOptions,
): Generator<void, Table<unknown>> {
  if (typeof source !== "string") return readObjectList(source, options);
  if (readYaml !== undefined) return yield* readYaml(source, options);
  return form === "csv" ? readCsv(source, options) : readJsonRows(source, options);
}

/** Digits of a SHA-256 fingerprint. */
const FINGERPRINT_DIGITS = 64;

/** Returns whether a column is taken for the SHA-256 fingerprint by its heading alone, and has shorter hashes. */
function holdsOtherHashes({ name, column, samples }: NamedColumn, { chosen }: SpreadsheetReading): boolean {
  return column === "fingerprint_sha256" && !chosen.has(name) && samples.length > 0 &&
    samples.every((text) => (readHexDigits(text)?.length ?? Infinity) < FINGERPRINT_DIGITS);
}

/** Returns the function that reads a heading: as the user chose, or by its words. */
function columnReader({ chosen }: SpreadsheetReading): (heading: string) => string | null {
  return (heading) => {
    const choice = chosen.get(heading);
    return choice === undefined ? columnMeant(heading) : choice;
  };
}

/**
 * Applies corrections of existing rows, also of rows that could not be read. A corrected row no longer has
 * errors about its structure.
 */
function edited({ rows, findings, named }: Table<unknown>, { edits }: SpreadsheetReading): Table<unknown> {
  const decisions = decisionsOf(rows, edits);
  const everywhere = edits.get(0) ?? {};
  const filled = Object.entries(everywhere).filter(([, text]) => text.trim() !== "");
  const complete = (own: Readonly<Values>): Values => {
    const missing = filled.filter(([column]) => isBlank(own[column]));
    return normalizeCells({ ...own, ...Object.fromEntries(missing) }, decisions);
  };
  const original = new Map(rows.map((row) => [row.row, row.cells]));
  const cells = new Map(rows.map((row) => [row.row, complete(row.cells)]));
  const corrected = new Set<number>();
  for (const row of new Set([...cells.keys(), ...findings.map((one) => one.row)])) {
    const texts = edits.get(row);
    // Findings of row 0 are about the whole document.
    if (texts === undefined || row === 0) continue;
    corrected.add(row);
    cells.set(row, complete({ ...original.get(row), ...texts }));
  }
  return {
    rows: [...cells].sort(([a], [b]) => a - b).map(([row, own]) => ({ row, cells: own })),
    findings: findings.filter(({ code, row, column = "" }) =>
      !corrected.has(row) && !(code === "missing_column" && Object.hasOwn(everywhere, column))
    ),
    named: named.map((one) => {
      const name = DATE_COLUMNS.find((column) => column === one.column);
      const decided = name === undefined ? undefined : decisions[name];
      const dates = [...decided?.values() ?? []].filter(({ examples }) => examples.length > 0);
      return dates.length === 0 ? one : { ...one, dates };
    }),
  };
}

/** Decides how the dates of each column are read: by its texts, otherwise by the corrections of some of them. */
function decisionsOf(rows: Table<unknown>["rows"], edits: SpreadsheetReading["edits"]): DateDecisions {
  return Object.fromEntries(DATE_COLUMNS.map((name) => {
    const texts: string[] = [];
    const chosen: [text: string, iso: string][] = [];
    for (const { row, cells } of rows) {
      const edit = edits.get(row)?.[name];
      const text = cells[name];
      if (edit !== undefined) chosen.push([String(text), edit]);
      if (isDateText(edit ?? text)) texts.push(String(edit ?? text));
    }
    return [name, decideDates(texts, chosen)];
  }));
}

function tooLarge({ message }: RowFinding, field: string): DataError {
  const reason = `${message.slice(0, 1).toLowerCase()}${message.slice(1)}`;
  return {
    row: 0,
    field,
    message: `Batch too large: ${reason} Import it in parts, or raise CERTMGR_IMPORT_MAX_ROWS.`,
  };
}

/** Converts a finding. An unknown column is an error of the document, not of the first row that has it. */
function errorOf({ code, row, column, message }: RowFinding, field: string): DataError {
  return {
    row: code === "unknown_column" ? 0 : row,
    field: column ?? (row === 0 ? field : "__all__"),
    message,
    code,
  };
}

/** Reports private keys by cell if it is known, otherwise for the document. */
function* keyErrors(
  rows: readonly ImportRow[],
  { source, findings, field }: {
    source: DataTable["source"];
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
