/**
 * Text formats: writers that stream rows for exports, and readers that return rows and findings for imports.
 * They have no side effects.
 */

import { csvWriter } from "./csv.ts";
import { pemFields, pemWriter } from "./pem.ts";
import type { Format, Writer } from "./stream.ts";
import { yamlWriter } from "./yaml.ts";

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
export { readJsonRows, readObjectList } from "./read_json.ts";
export { type ExportRow, type ExportValue, type Format, writeDocument } from "./stream.ts";
export { isWorkbook, readTableText, type TableText } from "./table.ts";
export type { NamedColumn, ReadRow, RowFinding, Table, TableOptions } from "./table.ts";
export { isYamlList, yamlDocument } from "./yaml.ts";

/** Loads the YAML reader. Its library takes a twentieth of the service's start, and few imports need it. */
export async function loadYamlReader(): Promise<typeof import("./read_yaml.ts").readingYaml> {
  return (await import("./read_yaml.ts")).readingYaml;
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
