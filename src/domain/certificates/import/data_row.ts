/**
 * Converts the cells of a metadata row to the fields of a create request. Cells from spreadsheets are normalized before;
 * ambiguous ones stay unchanged.
 */

import { parseDatetime } from "../../../base/clock.ts";
import { addFinding, concerns, type Finding, finding } from "../../../base/findings.ts";
import { type DateDecision, dateError, readDate } from "../../../base/spellings/dates.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import { readKeyNotation } from "../../../base/spellings/keys.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { LIST_SEPARATOR, type ReadRow } from "../../../formats/mod.ts";
import {
  CUSTOM_COLUMN,
  CUSTOM_PREFIX,
  quote,
  refusingPrivateKeys,
  type Values,
} from "../../../resource/mod.ts";
import { ALGORITHMS, STATUSES } from "../mod.ts";
import { IMPORT_COLUMNS, REQUIRED_COLUMNS } from "./columns.ts";
import type { NamedColumn } from "./named_references.ts";
import { ASSIGNMENTS, CONTACTS, DEVICES, readContacts, readDevices, readTargets } from "./row_targets.ts";
import type { ImportRow } from "./rows.ts";

/** Type of the cells: only texts, with lists in one cell (CSV), or JSON values. */
type CellForm = "csv" | "json";

/** Converts a cell to the value of a field, or adds an error. */
type CellReader = (value: unknown, errors: Finding[], cells: ReadRow<unknown>["cells"]) => unknown;

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

/** Reads a row whose cells have the errors `found`. Adds an error for each other invalid cell. */
export function readDataRow(
  { row, cells }: ReadRow<unknown>,
  form: CellForm,
  found: readonly Finding[],
): ImportRow {
  const errors = [...found];
  const body: Values = {};
  for (const column of IMPORT_COLUMNS) {
    if (concerns(errors, column) || NESTED.includes(column)) continue;
    const value = form === "csv" ? fromText(column, cells[column]) : cells[column];
    if (isBlank(value)) {
      if (isRequired(column)) addFinding(errors, column, finding("required"));
    } else if (column === "tags" && Array.isArray(value) ? value.some(isDeep) : isDeep(value)) {
      addFinding(errors, column, finding("unexpected", { expected: "a plain value, not a nested one" }));
    } else {
      const reader = READERS[column];
      const read = reader === undefined ? value : reader(value, errors, cells);
      if (!concerns(errors, column)) body[column] = read;
    }
  }
  const custom = customValues(cells, { form, errors });
  if (Object.keys(custom).length > 0) body[CUSTOM_COLUMN] = custom;
  const targets = Object.entries(TARGETS).flatMap(([column, read]) => {
    const cell = cells[column];
    const given = form === "csv" && typeof cell === "string"
      ? fromText(column, fromJsonText(cell.trim()))
      : cell;
    return isBlank(given) || concerns(errors, column) ? [] : read(given, errors);
  });
  const { named, values } = namesOf(body);
  return {
    place: row,
    errors,
    cells,
    body: values,
    named,
    ...(targets.length === 0 ? {} : { targets }),
  };
}

/** Returns the columns whose cells contain private keys. */
export function* keyFindings(cells: Readonly<Values>): Generator<void, Finding[]> {
  const found: Finding[] = [];
  yield* refusingPrivateKeys(cells, found);
  return found;
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

/** Columns whose cells name the objects that use the certificate. */
const TARGETS = { [ASSIGNMENTS]: readTargets, [DEVICES]: readDevices, [CONTACTS]: readContacts };
/** Columns whose cells have nested values. */
const NESTED: readonly string[] = [CUSTOM_COLUMN, ...Object.keys(TARGETS)];

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
  { form, errors }: { form: CellForm; errors: Finding[] },
): Values {
  const all = typeof cells[CUSTOM_COLUMN] === "string"
    ? fromJsonText(cells[CUSTOM_COLUMN])
    : cells[CUSTOM_COLUMN];
  if (!isBlank(all) && !isDictionary(all)) {
    const expected = `an object of custom fields, not ${quote(all)}`;
    addFinding(errors, CUSTOM_COLUMN, finding("unexpected", { expected }));
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
const LISTS: readonly string[] = ["sans", "tags", "expiry_notices", ...Object.keys(TARGETS)];

/** Columns whose texts must not be changed. */
const UNTRIMMED: readonly string[] = ["pem_content", "issuer_chain", "comments", "renewal_note"];

/** Splits lists, and trims other texts. */
function fromText(column: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (LISTS.includes(column)) {
    // NetBox's plugin writes the lists of objects as Python does.
    const listed = /^\s*\[\s*\]\s*$/.test(value) ? "" : value;
    if (column === "sans" && listed.startsWith("[")) return [listed];
    return listed.split(["tags", DEVICES, CONTACTS].includes(column) ? /[;,]/ : LIST_SEPARATOR).map((one) =>
      one.trim()
    ).filter((one) => one !== "");
  }
  return UNTRIMMED.includes(column) ? value : value.trim();
}

function dateReader(column: string): CellReader {
  return (value, errors) => {
    if (typeof value === "string" && parseDatetime(value) !== undefined) return value;
    addFinding(errors, column, dateError(value, quote(value)));
    return undefined;
  };
}

/** Reads an algorithm. Spreadsheets can have the size in the same cell, which is read before, unless it contradicts. */
function readAlgorithm(
  value: unknown,
  errors: Finding[],
  { key_size: size }: ReadRow<unknown>["cells"],
): unknown {
  if (ALGORITHMS.some((algorithm) => algorithm === value)) return value;
  const key = typeof value === "string" ? readKeyNotation(value) : undefined;
  if (key?.size !== undefined && !isBlank(size) && String(size).trim() !== key.size) {
    const given = { quoted: quote(value), size: quote(size) };
    addFinding(errors, "algorithm", finding("contradicting_size", given));
    return undefined;
  }
  const choices = [...ALGORITHMS].sort();
  addFinding(errors, "algorithm", finding("invalid_algorithm", { quoted: quote(value), choices }));
  return undefined;
}

/** Columns with dates. */
export const DATE_COLUMNS = ["valid_from", "valid_to"] as const;

/** How the dates of each column are read, by column and style. */
export type DateDecisions = Readonly<Record<string, ReadonlyMap<string, DateDecision>>>;

/** Returns whether a cell can contain a date; JSON can have it as a number. */
export function isDateText(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/**
 * Returns the cells of a row, with lists separated by semicolons, choices in lower case, the size of a key in the column
 * of its own, and dates in ISO 8601 if they have only one reading or their column decides.
 */
export function normalizeCells(
  cells: Readonly<Values>,
  decisions: DateDecisions = {},
): Values {
  const tidy: Values = { ...cells };
  if (typeof tidy.tags === "string") tidy.tags = tidy.tags.replaceAll(/\s*,\s*/g, LIST_SEPARATOR);
  if (typeof tidy.status === "string") tidy.status = statusMeant(tidy.status);
  for (const name of DATE_COLUMNS) {
    const date = tidy[name];
    if (isDateText(date)) tidy[name] = readDate(String(date), decisions[name]) ?? date;
  }
  return { ...tidy, ...keyCells(tidy) };
}

/** Returns a status in lower case; another text unchanged, because errors quote it. */
function statusMeant(text: string): string {
  const status = text.trim().toLowerCase();
  return STATUSES.some((one) => one === status) ? status : text;
}

/** Returns the cells of a key that is written in one cell, unless the size is another one in its own column. */
function keyCells(
  { algorithm: text, key_size: size }: Readonly<Values>,
): Values {
  const key = typeof text === "string" ? readKeyNotation(text) : undefined;
  if (key === undefined) return {};
  if (key.size === undefined) return { algorithm: key.algorithm };
  const given = String(size ?? "").trim();
  return given === "" || given === key.size ? { algorithm: key.algorithm, key_size: key.size } : {};
}
