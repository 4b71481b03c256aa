/** Converts the cells of a metadata row to the fields of a create request. */

import { parseDatetime } from "../../../base/clock.ts";
import { addError, type FieldErrors } from "../../../base/errors.ts";
import { dateError } from "../../../base/spellings/dates.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { LIST_SEPARATOR, type ReadRow } from "../../../formats/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  quote,
  refusingPrivateKeys,
  REQUIRED,
  type Values,
} from "../../../resource/mod.ts";
import { ALGORITHMS } from "../mod.ts";
import { IMPORT_COLUMNS, REQUIRED_COLUMNS } from "./columns.ts";
import type { NamedColumn } from "./named_references.ts";
import { readTargets } from "./row_assignments.ts";
import type { ImportRow } from "./rows.ts";
import { readKeyNotation } from "./spreadsheet_cells.ts";

/** Type of the cells: only texts, with lists in one cell (CSV), or JSON values. */
export type CellForm = "csv" | "json";

/** Converts a cell to the value of a field, or adds an error. */
type CellReader = (value: unknown, errors: FieldErrors, cells: ReadRow<unknown>["cells"]) => unknown;

/** Columns whose cells differ from the field's value. */
const READERS: Readonly<Record<string, CellReader>> = {
  valid_from: dateReader("valid_from"),
  valid_to: dateReader("valid_to"),
  algorithm: readAlgorithm,
  serial_number: readDigits,
  fingerprint_sha256: readDigits,
  sans: (value) => typeof value === "string" ? [value] : value,
};

/** Removes what is not part of a number, such as spaces. Plain texts stay as they are; their field checks others. */
function readDigits(value: unknown): unknown {
  return typeof value !== "string" || /^[0-9a-f:]*$/i.test(value) ? value : readHexDigits(value) ?? value;
}

/** Reads a row in slices. Adds an error for each invalid cell. */
export function* readDataRow({ row, cells }: ReadRow<unknown>, form: CellForm): Generator<void, ImportRow> {
  const errors: FieldErrors = {};
  const body: Values = {};
  yield* refusingPrivateKeys(cells, errors);
  for (const column of IMPORT_COLUMNS) {
    if (errors[column] !== undefined || NESTED.includes(column)) continue;
    const value = form === "csv" ? fromText(column, cells[column]) : cells[column];
    if (isBlank(value)) {
      if (isRequired(column)) addError(errors, column, REQUIRED);
    } else if (column === "tags" && Array.isArray(value) ? value.some(isDeep) : isDeep(value)) {
      addError(errors, column, "Expected a plain value, not a nested one.");
    } else {
      const reader = READERS[column];
      const read = reader === undefined ? value : reader(value, errors, cells);
      if (errors[column] === undefined) body[column] = read;
    }
  }
  const custom = customValues(cells, { form, errors });
  if (Object.keys(custom).length > 0) body[CUSTOM_COLUMN] = custom;
  const cell = cells[ASSIGNMENTS];
  const given = form === "csv" && typeof cell === "string"
    ? fromText(ASSIGNMENTS, fromJsonText(cell.trim()))
    : cell;
  const targets = isBlank(given) || errors[ASSIGNMENTS] !== undefined ? [] : readTargets(given, errors);
  const { named, values } = namesOf(body);
  return { place: row, errors, cells, body: values, named, ...(targets.length === 0 ? {} : { targets }) };
}

/** Separates the texts that name tenants, tags and authorities from the values of the row. */
function namesOf(
  body: Readonly<Values>,
): { named: NonNullable<ImportRow["named"]>; values: Values } {
  const { tenant, issuing_ca, tags, ...others } = body;
  const values: Values = others;
  const named: { -readonly [Column in NamedColumn]?: string[] } = {};
  for (const [column, value] of [["tenant", nameOf(tenant)], ["issuing_ca", nameOf(issuing_ca)]] as const) {
    if (typeof value === "string") named[column] = [value.trim()];
    else if (value !== undefined) values[column] = value;
  }
  if (Array.isArray(tags)) {
    const texts = tags.map((one) => isDictionary(one) && typeof one.slug === "string" ? one.slug : one);
    named.tags = texts.filter((one) => typeof one === "string").map((one) => one.trim());
    values.tags = texts.filter((one) => typeof one !== "string");
  } else if (tags !== undefined) values.tags = tags;
  return { named, values };
}

const ASSIGNMENTS = "assignments";
/** Columns whose cells have nested values. */
const NESTED: readonly string[] = [CUSTOM_COLUMN, ASSIGNMENTS];

/**
 * Returns the name of an object as the API shows it. The name is the same in another service, the id is not.
 */
function nameOf(value: unknown): unknown {
  return isDictionary(value) && typeof value.name === "string" ? value.name : value;
}

/**
 * Reads `custom_fields` and the columns `cf_<name>`. Empty cells are ignored. In CSV, a list or JSON is one
 * cell.
 */
function customValues(
  cells: Readonly<Values>,
  { form, errors }: { form: CellForm; errors: FieldErrors },
): Values {
  const all = typeof cells[CUSTOM_COLUMN] === "string"
    ? fromJsonText(cells[CUSTOM_COLUMN])
    : cells[CUSTOM_COLUMN];
  if (!isBlank(all) && !isDictionary(all)) {
    addError(errors, CUSTOM_COLUMN, `Expected an object of custom fields, not ${quote(all)}.`);
  }
  const together = isDictionary(all) ? all : {};
  const values = Object.entries(cells).filter(([column, value]) =>
    column.startsWith(CUSTOM_PREFIX) && !isBlank(value)
  );
  return {
    ...Object.fromEntries(Object.entries(together).filter(([, value]) => !isBlank(value))),
    ...Object.fromEntries(values.map(([column, value]) => [
      column.slice(CUSTOM_PREFIX.length),
      form === "csv" && typeof value === "string" ? fromJsonText(value.trim()) : value,
    ])),
  };
}

function fromJsonText(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRequired(column: string): boolean {
  return REQUIRED_COLUMNS.some((name) => name === column);
}

/** Returns whether a cell has no value. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * Returns whether a value is nested. Of plain columns, only tags have one level, as the API shows them.
 * Thousands of levels could not be displayed.
 */
function isDeep(value: unknown): boolean {
  return typeof value === "object" && value !== null &&
    Object.values(value).some((member) => typeof member === "object" && member !== null);
}

/** Columns whose cells are lists. */
const LISTS: readonly string[] = ["sans", "tags", "expiry_notices", ASSIGNMENTS];

/** Columns whose texts must not be changed. */
const UNTRIMMED: readonly string[] = ["pem_content", "issuer_chain", "comments", "renewal_note"];

/** Splits lists, and trims other texts. */
function fromText(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (LISTS.includes(column)) {
    // NetBox's plugin writes the lists of objects as Python does.
    const listed = /^\s*\[\s*\]\s*$/.test(value) ? "" : value;
    if (column === "sans" && listed.startsWith("[")) return [listed];
    return listed.split(column === "tags" ? /[;,]/ : LIST_SEPARATOR).map((one) => one.trim()).filter((one) =>
      one !== ""
    );
  }
  return UNTRIMMED.includes(column) ? value : value.trim();
}

function dateReader(column: string): CellReader {
  return (value, errors) => {
    if (typeof value === "string" && parseDatetime(value) !== undefined) return value;
    addError(errors, column, dateError(value, quote(value)));
    return undefined;
  };
}

/** Reads an algorithm. Spreadsheets can have the size in the same cell, which is read before, unless it contradicts. */
function readAlgorithm(
  value: unknown,
  errors: FieldErrors,
  { key_size: size }: ReadRow<unknown>["cells"],
): unknown {
  if (ALGORITHMS.some((algorithm) => algorithm === value)) return value;
  const key = typeof value === "string" ? readKeyNotation(value) : undefined;
  if (key?.size !== undefined && !isBlank(size) && String(size).trim() !== key.size) {
    addError(
      errors,
      "algorithm",
      `Algorithm ${quote(value)} contradicts key_size ${quote(size)}. Correct one of them.`,
    );
    return undefined;
  }
  const allowed = [...ALGORITHMS].sort().join(", ");
  addError(errors, "algorithm", `Invalid algorithm ${quote(value)}. Expected one of ${allowed}.`);
  return undefined;
}
