/** Reads rows from JSON: a list of objects, the `results` of a list in an API, or an object on each line. */

import { finding } from "../base/findings.ts";
import { MAX_JSON_VALUES, scanJson } from "../base/scan_json.ts";
import { isKnownColumn, type RowFinding, type Table, TableBuilder, type TableOptions } from "./table.ts";

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
  const table = new TableBuilder<unknown>(options);
  for (const [index, object] of list.slice(0, options.maxRows).entries()) {
    const row = index + 1;
    if (table.isFull) break;
    if (typeof object !== "object" || object === null || Array.isArray(object)) {
      table.find(row, finding("not_an_object"));
      continue;
    }
    const cells: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(object)) {
      if (table.isFull) break;
      const column = table.column(name, value);
      if (column !== null && table.accepts(column, row)) table.set(row, cells, [column, value]);
    }
    table.rows.push({ row, cells });
  }
  if (list.length > options.maxRows) table.findTooMany();
  return table.result;
}

function parseList(text: string, options: TableOptions): unknown[] | RowFinding {
  const maxValues = Math.max(MAX_JSON_VALUES, VALUES_OF_ROW * options.maxRows);
  const limits = { maxValues, maxMembers: MAX_ROW_MEMBERS, maxDepth: maxValues };
  const { excess } = scanJson(new TextEncoder().encode(text), limits);
  if (excess !== undefined) return syntax(`The text is too large: ${excess}`);
  try {
    const value: object | null = JSON.parse(text);
    if (Array.isArray(value)) return value;
    if (value !== null && "results" in value && Array.isArray(value.results)) return value.results;
    const { columnOf = (name): string => name } = options;
    const isRow = Object.keys(value ?? {}).some((name) => isKnownColumn(columnOf(name) ?? "", options));
    return isRow ? [value] : syntax("Expected a JSON list of objects.");
  } catch (error) {
    const rows = parseLines(text, options);
    if (rows !== undefined) return rows;
    // Reports only the position, because the parser's message quotes the text.
    const place = /position (\d+)/.exec(String(error))?.[1];
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

/** Returns why a text or a row cannot be read. */
export function syntax(reason: string, row = 0): RowFinding {
  return { ...finding("syntax", { reason }), row };
}
