/** Reads endpoints from text: a CSV table, or one per line. Has no side effects. */

import { EXPECTED_ENDPOINT, readEndpoint } from "../../../base/endpoint_text.ts";
import { addError } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { LIST_SEPARATOR, readCsv } from "../../../formats/mod.ts";
import { quote } from "../../../resource/mod.ts";
import type { ImportRow } from "../../certificates/import/mod.ts";

/** A row that cannot be stored. Row 0 is the document. */
export interface RowError {
  readonly row: number;
  readonly field: string;
  readonly message: string;
}

/** Columns of a table; only `host` is required. */
export const ENDPOINT_COLUMNS = [
  "host",
  "port",
  "server_name",
  "protocol",
  "description",
  "tenant",
  "tags",
  "enabled",
  "interval_minutes",
  "expected_certificate",
  "assigned_object_type",
  "assigned_object_id",
] as const;

/** Other headings of a column, as the pages write them. */
const HEADINGS: Readonly<Record<string, string>> = { interval: "interval_minutes" };

/** Returns the column for a heading in any case, with spaces or underscores: "Server name" is `server_name`. */
function columnOf(heading: string): string {
  const name = heading.trim().toLowerCase().replace(/ +/g, "_");
  const column = Object.hasOwn(HEADINGS, name) ? HEADINGS[name] ?? name : name;
  return ENDPOINT_COLUMNS.some((one) => one === column) ? column : heading;
}

const NUMBERS: readonly string[] = ["port", "interval_minutes", "expected_certificate", "assigned_object_id"];
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

/** The content of a document. Errors in a row are stored with the row. */
export interface EndpointDocument {
  readonly rows: readonly ImportRow[];
  readonly errors: readonly RowError[];
}

/** Reads a table if the first line contains the column `host`, otherwise endpoints line by line. */
export function readEndpointDocument(text: string): EndpointDocument {
  const [first = ""] = text.replace(/^\ufeff/, "").trimStart().split(/[\r\n]/, 1);
  const names = first.split(/[,;\t]/).map((name) => name.replaceAll('"', "").trim());
  return names.some((name) => columnOf(name) === "host") ? readTable(text) : readLines(text);
}

function readLines(text: string): EndpointDocument {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/(^|\s)#.*$/, "").trim());
  const given = lines.flatMap((line, index) =>
    line.split(",").map((one) => ({ line: one.trim(), place: index + 1 })).filter((one) => one.line !== "")
  );
  if (given.length > MAX_BULK_OBJECTS) return tooMany();
  const rows = given.map(({ line, place }): ImportRow => {
    const read = readEndpoint(line);
    const errors = {};
    if (read === undefined) addError(errors, "host", `${EXPECTED_ENDPOINT}, not ${quote(line)}.`);
    return { place, body: { ...read }, errors };
  });
  return { rows, errors: [] };
}

function readTable(text: string): EndpointDocument {
  const options = { columns: ENDPOINT_COLUMNS, columnOf, required: ["host"], maxRows: MAX_BULK_OBJECTS };
  const { rows, findings } = readCsv(text, options);
  if (findings.some(({ code }) => code === "too_many_rows")) return tooMany();
  return {
    rows: rows.map(({ row, cells }) => readRow(row, cells)),
    errors: findings.map(({ code, row, column, message }) => ({
      row: code === "unknown_column" ? 0 : row,
      field: column ?? "__all__",
      message,
    })),
  };
}

function tooMany(): EndpointDocument {
  const message = `Expected at most ${MAX_BULK_OBJECTS} endpoints. Import them in parts.`;
  return { rows: [], errors: [{ row: 0, field: "content", message }] };
}

/** Leaves out empty cells, so that their fields get the default. */
function readRow(place: number, cells: Readonly<Record<string, string>>): ImportRow {
  const body: Record<string, unknown> = {};
  const errors = {};
  const named: { tenant?: string[]; tags?: string[] } = {};
  for (const [column, cell] of Object.entries(cells)) {
    const value = cell.trim();
    if (value === "" && column !== "host") continue;
    if (column === "tenant") named.tenant = [value];
    else if (column === "tags") {
      named.tags = value.split(LIST_SEPARATOR).map((text) => text.trim()).filter((text) => text !== "");
    } else if (column === "enabled") {
      const flag = FLAGS[value.toLowerCase()];
      if (flag === undefined) {
        addError(errors, column, `Expected true or false, not ${quote(value)}.`);
      } else body.enabled = flag;
    } else body[column] = NUMBERS.includes(column) && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return { place, body, errors, named };
}
