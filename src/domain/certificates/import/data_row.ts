/** From the cells of one row of metadata to the fields of a create request. */

import { parseDatetime } from "../../../base/clock.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import { LIST_SEPARATOR, type ReadRow } from "../../../formats/mod.ts";
import { quote, refusingPrivateKeys, REQUIRED } from "../../../resource/mod.ts";
import { ALGORITHMS } from "../mod.ts";
import { IMPORT_COLUMNS, REQUIRED_COLUMNS } from "./data_columns.ts";
import type { ImportRow } from "./rows.ts";

/** How cells are written: all text, with lists in one cell; or values as JSON has them. */
export type CellForm = "csv" | "json";

/** A date, or a moment as exports write it: without a zone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)?$/;

/** Turns a cell into a field's value, or adds to the errors. */
type CellReader = (value: unknown, errors: FieldErrors) => unknown;

/** Columns whose cells are not simply the field's value. */
const READERS: Readonly<Record<string, CellReader>> = {
  valid_from: dateReader("valid_from"),
  valid_to: dateReader("valid_to"),
  algorithm: readAlgorithm,
  tags: readTags,
  issuing_ca: (value) => typeof value === "string" ? { name: value } : value,
};

/** Reads a row, in slices; every bad cell is an error. */
export function* readDataRow({ row, cells }: ReadRow<unknown>, form: CellForm): Generator<void, ImportRow> {
  const errors: FieldErrors = {};
  const body: Record<string, unknown> = {};
  yield* refusingPrivateKeys(cells, errors);
  for (const column of IMPORT_COLUMNS) {
    if (errors[column] !== undefined) continue;
    const value = form === "csv" ? fromText(column, cells[column]) : cells[column];
    if (isBlank(value)) {
      if (isRequired(column)) addError(errors, column, REQUIRED);
    } else if (isDeep(value)) addError(errors, column, "Expected a plain value, not a nested one.");
    else {
      const reader = READERS[column];
      const read = reader === undefined ? value : reader(value, errors);
      if (errors[column] === undefined) body[column] = read;
    }
  }
  const { tenant, ...others } = body;
  return typeof tenant === "string"
    ? { place: row, body: others, errors, cells, tenantText: tenant.trim() }
    : { place: row, body, errors, cells };
}

function isRequired(column: string): boolean {
  return (REQUIRED_COLUMNS as readonly string[]).includes(column);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** Nothing here has more than one level; what has might have thousands, too many to be shown. */
function isDeep(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    Object.values(value).some((member) => typeof member === "object" && member !== null);
}

/** Lists stand in one cell. What holds several lines stays as it is. */
function fromText(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (column === "sans" || column === "tags") {
    return value.split(LIST_SEPARATOR).map((one) => one.trim()).filter((one) => one !== "");
  }
  return column === "pem_content" || column === "issuer_chain" ? value : value.trim();
}

function dateReader(column: string): CellReader {
  return (value, errors) => {
    if (typeof value === "string" && DATE.test(value) && parseDatetime(value) !== undefined) return value;
    addError(errors, column, `Invalid date format: ${quote(value)}. Expected YYYY-MM-DD.`);
    return undefined;
  };
}

function readTags(value: unknown): unknown {
  return Array.isArray(value) ? value.map((one) => typeof one === "string" ? { slug: one } : one) : value;
}

function readAlgorithm(value: unknown, errors: FieldErrors): unknown {
  if (ALGORITHMS.some((algorithm) => algorithm === value)) return value;
  const allowed = [...ALGORITHMS].sort().join(", ");
  addError(errors, "algorithm", `Invalid algorithm ${quote(value)}. Expected one of ${allowed}.`);
  return undefined;
}
