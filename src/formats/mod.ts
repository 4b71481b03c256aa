/**
 * Text formats: writers that stream rows for exports, and readers that return rows and findings for imports.
 * They have no side effects.
 */

import { csvWriter } from "./csv.ts";
import { jsonWriter } from "./json.ts";
import { pemFields, pemWriter } from "./pem.ts";
import type { Format } from "./types.ts";
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
export { writeDocument } from "./stream.ts";
export type { NamedColumn, ReadRow, RowFinding, Table, TableOptions } from "./table.ts";
export type { ExportRow, ExportValue, Format } from "./types.ts";
export { yamlDocument } from "./yaml_document.ts";
export { isYamlList } from "./yaml_items.ts";

/** Loads the YAML reader. Its library takes a twentieth of the service's start, and few imports need it. */
export async function loadYamlReader(): Promise<typeof import("./read_yaml.ts").readingYaml> {
  return (await import("./read_yaml.ts")).readingYaml;
}
