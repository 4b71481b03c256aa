/** Reads rows from JSON: a list of objects, the `results` of a list in an API, or an object on each line. */

import { MAX_CELL_CHARS, MAX_TABLE_FINDINGS } from "../base/limits.ts";
import { MAX_JSON_VALUES, scanJson } from "../base/scan_json.ts";
import {
  cellTooLong,
  isKnownColumn,
  NamedColumns,
  type ReadRow,
  type RowFinding,
  type Table,
  type TableOptions,
  tooManyRows,
  unknownColumn,
} from "./table.ts";

/** Values of a row on average, nested ones included: more than it has columns. */
const VALUES_OF_ROW = 50;
/** Members of a row: so many that each unknown one can be reported. */
const MAX_ROW_MEMBERS = 50_000;

/**
 * Reads the objects of a JSON list, with unchanged values. Never throws. Each unknown name is one finding, on
 * the first row that has it. The caller checks required columns, because rows may have different members.
 */
export function readJsonRows(text: string, options: TableOptions): Table<unknown> {
  const list = parseList(text.replace(/^\ufeff/, ""), options);
  return Array.isArray(list) ? readObjectList(list, options) : { rows: [], findings: [list], named: [] };
}

/** Works like {@link readJsonRows} for a list that was parsed as part of a larger document. */
export function readObjectList(list: readonly unknown[], options: TableOptions): Table<unknown> {
  const rows: ReadRow<unknown>[] = [];
  const findings: RowFinding[] = [];
  const unknown = new Set<string>();
  const named = new NamedColumns(options);
  for (const [index, object] of list.slice(0, options.maxRows).entries()) {
    const row = index + 1;
    if (findings.length >= MAX_TABLE_FINDINGS) break;
    if (typeof object === "object" && object !== null && !Array.isArray(object)) {
      rows.push({ row, cells: readCells(object, { row, options, unknown, findings, named }) });
    } else {findings.push({
        code: "not_an_object",
        row,
        message: "Expected an object with the row's values.",
      });}
  }
  if (list.length > options.maxRows) findings.push(tooManyRows(options));
  return { rows, findings, named: named.all };
}

function parseList(text: string, options: TableOptions): unknown[] | RowFinding {
  const maxValues = Math.max(MAX_JSON_VALUES, VALUES_OF_ROW * options.maxRows);
  const limits = { maxValues, maxMembers: MAX_ROW_MEMBERS, maxDepth: maxValues };
  const { excess } = scanJson(new TextEncoder().encode(text), limits);
  if (excess !== undefined) return syntax(`The text is too large: ${excess}`);
  try {
    const value = JSON.parse(text) as object | null;
    if (Array.isArray(value)) return value;
    const { results } = (value ?? {}) as { results?: unknown };
    if (Array.isArray(results)) return results;
    const { columnOf = (name): string => name } = options;
    const isRow = Object.keys(value ?? {}).some((name) => isKnownColumn(columnOf(name) ?? "", options));
    return isRow ? [value] : syntax("Expected a JSON list of objects.");
  } catch (error) {
    const rows = parseLines(text, options);
    if (rows !== undefined) return rows;
    // Reports only the position, because the parser's message quotes the text.
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    return syntax(`The text is not valid JSON${place === undefined ? "" : ` at position ${place}`}.`);
  }
}

/** Reads an object on each line; undefined if the text has something else. */
function parseLines(text: string, { maxRows }: TableOptions): unknown[] | undefined {
  const lines: string[] = [];
  for (const [line] of text.matchAll(/\S[^\r\n]*/g)) {
    if (!line.startsWith("{") || !line.trimEnd().endsWith("}")) return undefined;
    // One more than is read, so that the caller reports that there are more.
    if (lines.push(line) > maxRows) break;
  }
  if (lines.length < 2) return undefined;
  try {
    return lines.map((line) => JSON.parse(line));
  } catch {
    return undefined;
  }
}

function syntax(message: string): RowFinding {
  return { code: "syntax", row: 0, message };
}

function readCells(
  object: object,
  { row, options, unknown, findings, named }: {
    named: NamedColumns;
    row: number;
    options: TableOptions;
    unknown: Set<string>;
    findings: RowFinding[];
  },
): Record<string, unknown> {
  const cells: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(object)) {
    if (findings.length >= MAX_TABLE_FINDINGS) break;
    const name = named.note(given, value);
    if (name === null) continue;
    if (!isKnownColumn(name, options)) {
      if (!unknown.has(name)) findings.push(unknownColumn(name, row, options));
      unknown.add(name);
    } else if (typeof value === "string" && value.length > MAX_CELL_CHARS) {
      findings.push(cellTooLong(name, row, MAX_CELL_CHARS));
    } else cells[name] = value;
  }
  return cells;
}
