/** Parses a metadata document into rows and errors. Has no side effects. */

import {
  type NamedColumn,
  readObjectList,
  type RowFinding,
  type Table,
  TABLE_FORMATS,
  type TableReader,
} from "../../../formats/mod.ts";
import { ALL_FIELDS, finding, findingAt } from "../../../base/findings.ts";
import { inSlices } from "../../../base/pace.ts";
import { decideDates } from "../../../base/spellings/dates.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import { holdsPrivateKey, searchingKey } from "../../../x509/mod.ts";
import { columnMeant, type DataFormat, isImportColumn, KNOWN_COLUMNS, REQUIRED_COLUMNS } from "./columns.ts";
import type { DataError, DataTable } from "./responses.ts";
import { readDataRow } from "./data_row.ts";
import { readPemDocument } from "./pem_item.ts";
import type { ImportRow } from "./rows.ts";
import { formatOf } from "./columns.ts";
import {
  DATE_COLUMNS,
  type DateDecisions,
  isBlank,
  isDateText,
  keyFindings,
  normalizeCells,
} from "./data_row.ts";

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
  /** Texts by row and column that replace those of the document. */
  readonly edits: ReadonlyMap<number, Readonly<Record<string, string>>>;
  /** Whether the document is a whole sheet of a workbook. */
  readonly isSheet: boolean;
}

/** Options of {@link readDocument}. */
interface ReadingOptions {
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
  const form = format !== "auto" ? format : typeof source === "string" ? formatOf(source) : "json";
  const read = form === "pem" ? undefined : await TABLE_FORMATS[form].load();
  return await inSlices(readingDocument({ source, form, read }, options));
}

/** A document whose format is known. */
interface Detected {
  readonly source: DataTable["source"];
  readonly form: DataFormat;
  /** Absent for PEM. */
  readonly read: TableReader | undefined;
}

function* readingDocument(
  { source, form, read: readTable }: Detected,
  {
    field,
    maxRows,
    maxCertificates,
    spreadsheet,
  }: ReadingOptions,
): Generator<void, DataDocument> {
  if (readTable === undefined) return yield* readPemDocument(source, { field, maxRows: maxCertificates });
  const options = {
    columns: KNOWN_COLUMNS,
    prefix: CUSTOM_PREFIX,
    required: REQUIRED_COLUMNS,
    maxRows,
    isSheet: spreadsheet?.isSheet ?? false,
    columnOf: spreadsheet && ((heading: string): string | null => {
      const choice = spreadsheet.chosen.get(heading);
      return choice === undefined ? columnMeant(heading) : choice;
    }),
  };
  const table = typeof source === "string"
    ? yield* readTable(source, options)
    : readObjectList(source, options);
  const { rows: read, findings, named } = spreadsheet === undefined ? table : edited(table, spreadsheet);
  const tooMany = findings.find(({ code }) => code === "too_many_rows");
  if (tooMany !== undefined) {
    return { rows: [], errors: [errorOf(tooMany, field)], total: 0, form, named };
  }
  const holdsKey = typeof source === "string" && (yield* searchingKey(source));
  // Cells without escapes are parts of a document that was searched as a whole.
  const areSearched = spreadsheet === undefined && form === "csv" && !holdsKey &&
    !String(source).includes('""');
  const rows: ImportRow[] = [];
  for (const row of read) {
    yield;
    // Sheets have rows with nothing but a number, and sums; a user may have left out a row.
    const isEmpty = Object.entries(row.cells).every(([name, cell]) => isBlank(cell) || !isImportColumn(name));
    if (spreadsheet !== undefined && isEmpty) continue;
    if (row.isTotal === true) {
      rows.push({ place: row.row, body: {}, errors: [], cells: row.cells, without: finding("total_row") });
      continue;
    }
    const errors = areSearched ? [] : yield* keyFindings(row.cells);
    rows.push(readDataRow(row, form === "csv" || spreadsheet?.edits.has(row.row) ? "csv" : "json", errors));
  }
  const lost = new Set(findings.map(({ row }) => row).filter((row) => row > 0));
  for (const { place } of rows) lost.delete(place);
  const total = rows.length + lost.size;
  const keys = keyErrors(rows, { holdsKey, findings, field });
  if (keys.length > 0) return { rows: [], errors: keys, total, form, named };
  // A spreadsheet can have columns that are not imported, and cells of missing ones are entered in its preview.
  const ignored = spreadsheet === undefined ? [] : ["unknown_column", "missing_column"];
  const errors = findings.filter(({ code }) => !ignored.includes(code))
    .map((finding) => errorOf(finding, field));
  if (total === 0 && errors.length === 0) {
    errors.push({ ...findingAt(field, "expected_some", { thing: "row of data" }), row: 0 });
  }
  return { rows, errors, total, form, named };
}

/** Applies corrections of rows. A corrected row no longer has errors about its structure. */
function edited({ rows, findings, named }: Table<unknown>, { edits }: SpreadsheetReading): Table<unknown> {
  const decisions = decisionsOf(rows, edits);
  return {
    rows: rows.map((one) => ({
      ...one,
      cells: normalizeCells({ ...one.cells, ...edits.get(one.row) }, decisions),
    })),
    findings: findings.filter(({ row }) => !edits.has(row)),
    named: named.map((one) => {
      const name = DATE_COLUMNS.find((column) => column === one.column);
      const decided = name === undefined ? undefined : decisions[name];
      const dates = [...decided?.values() ?? []].filter(({ examples }) => examples.length > 0);
      return dates.length === 0 ? one : { ...one, dates };
    }),
  };
}

/**
 * Decides how the dates of each column are read: by its texts, otherwise by the corrections of some of them. Dates with
 * dots, which hardly anyone writes with the month first, are otherwise read like those of another column.
 */
function decisionsOf(rows: Table<unknown>["rows"], edits: SpreadsheetReading["edits"]): DateDecisions {
  const own = DATE_COLUMNS.map((name) => {
    const texts: string[] = [];
    const chosen: [text: string, iso: string][] = [];
    for (const { row, cells } of rows) {
      const edit = edits.get(row)?.[name];
      const text = cells[name];
      if (edit !== undefined) chosen.push([String(text), edit]);
      if (isDateText(edit ?? text)) texts.push(String(edit ?? text));
    }
    return [name, decideDates(texts, chosen)] as const;
  });
  return Object.fromEntries(own.map(([name, decisions]) => [
    name,
    new Map([...decisions].map(([style, decision]) => {
      const likewise = style !== "."
        ? undefined
        : own.map(([, other]) => other.get(style)).find((one) => one?.orders.length === 1);
      return [style, decision.orders.length > 1 ? likewise ?? decision : decision];
    })),
  ]));
}

/** Converts a finding. An unknown column is an error of the document, not of the first row that has it. */
function errorOf(one: RowFinding, document: string): DataError {
  const { code, row, field = row === 0 ? document : ALL_FIELDS } = one;
  return { ...one, row: code === "unknown_column" ? 0 : row, field };
}

/** Reports private keys by cell if it is known, otherwise for the document. */
function keyErrors(
  rows: readonly ImportRow[],
  { holdsKey, findings, field }: {
    /** Whether the text of the document contains one. */
    holdsKey: boolean;
    findings: readonly RowFinding[];
    field: string;
  },
): DataError[] {
  const cells = rows.flatMap(({ place, errors }) =>
    errors.filter(({ code }) => code === "private_key")
      .map(({ field: column = field }) => ({ ...findingAt(column, "private_key"), row: place }))
  );
  if (cells.length > 0) return cells;
  const elsewhere = holdsKey ||
    findings.some((one) => one.field !== undefined && holdsPrivateKey(one.field));
  return elsewhere ? [{ ...findingAt(field, "private_key"), row: 0 }] : [];
}
