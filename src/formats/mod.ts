/**
 * Text formats: writers that stream rows for exports, and readers that return rows and findings for imports.
 * They have no side effects.
 */

import { csvWriter } from "./csv.ts";
import { pemFields, pemWriter } from "./pem.ts";
import type { Format, Writer } from "./stream.ts";
import { readCsv } from "./read_csv.ts";
import { readJsonRows } from "./read_json.ts";
import type { Table, TableOptions } from "./table.ts";
import { isYamlList, yamlWriter } from "./yaml.ts";

/** The formats of exports by name (specification, Export). */
export const FORMATS = {
  csv: { mediaType: "text/csv", extension: "csv", takesPem: false, writer: csvWriter },
  json: { mediaType: "application/json", extension: "json", takesPem: true, writer: jsonWriter },
  yaml: { mediaType: "application/x-yaml", extension: "yaml", takesPem: true, writer: yamlWriter },
  pem: {
    mediaType: "application/x-pem-file",
    extension: "pem",
    takesPem: false,
    fields: pemFields,
    writer: pemWriter,
  },
} as const satisfies Readonly<Record<string, Format>>;

export { CALENDAR_TYPE, type CalendarEvent, writeCalendar } from "./ical.ts";
export { LIST_SEPARATOR } from "./csv.ts";
export { readCsv } from "./read_csv.ts";
export { readObjectList } from "./read_json.ts";
export { type ExportRow, type ExportValue, type Format, writeDocument } from "./stream.ts";
export { isWorkbook, readTableText, type TableText } from "./table.ts";
export type { NamedColumn, ReadRow, RowFinding, Table, TableOptions } from "./table.ts";
export { yamlDocument } from "./yaml.ts";

/** Reads a text in slices. Never throws. */
export type TableReader = (text: string, options: TableOptions) => Generator<void, Table<unknown>>;

/** A format of tables that imports read. */
interface TableFormat {
  /** What a document of it is, for the API's documentation. */
  readonly description: string;
  /** Returns whether a text is in this format; the first one that says so is taken, and otherwise CSV. */
  readonly detects: (text: string) => boolean;
  /** Loads the reader: one that few imports need is not part of the service's start. */
  readonly load: () => Promise<TableReader>;
  /** How each row begins, at the start of a line: the command line sends documents of any size in parts. */
  readonly row?: RegExp;
}

const TABLES = {
  csv: {
    description:
      "CSV: a row of column names, then a certificate in each row; cells separated by commas, semicolons or tabs; quotes, " +
      "line ends and formula guards as exports write them; `sans` and `tags` are lists with `;` between their members.",
    detects: () => false,
    load: () => Promise.resolve(atOnce(readCsv)),
  },
  json: {
    description:
      "JSON: a list of objects with these names; `sans` and `tags` are lists, `key_size` is a number.",
    detects: (text) => /^\s*[[{]/.test(text),
    load: () => Promise.resolve(atOnce(readJsonRows)),
  },
  yaml: {
    description: "YAML: the same list.",
    detects: isYamlList,
    load: async () => (await import("./read_yaml.ts")).readingYaml,
    row: /^- /,
  },
} as const satisfies Readonly<Record<string, TableFormat>>;

/** The formats of tables by name; certificates in PEM are not read as tables. */
export const TABLE_FORMATS: Readonly<Record<keyof typeof TABLES, TableFormat>> = TABLES;

/** Their names, in the order in which a text is compared with them. */
export const TABLE_FORMAT_NAMES = Object.keys(TABLES) as readonly (keyof typeof TABLES)[];

/** Returns a reader that reads a text in one slice. */
function atOnce(read: (text: string, options: TableOptions) => Table<unknown>): TableReader {
  // deno-lint-ignore require-yield -- it has only a result
  return function* (text, options): Generator<void, Table<unknown>> {
    return read(text, options);
  };
}

/** Writes a list of objects, one per line. */
function jsonWriter(): Writer {
  return {
    begin: "[",
    *rows(rows, written): Generator<string> {
      for (const row of rows) yield `${written++ === 0 ? "\n" : ",\n"}${JSON.stringify(row)}`;
    },
    end: (written) => written === 0 ? "]\n" : "\n]\n",
  };
}
