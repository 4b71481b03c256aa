/** Requests exports from the application, by both methods. */

import { parse } from "yaml";
import { EXPORT_FIELDS } from "../../../../src/domain/certificates/export/fields.ts";
import { readCsv } from "../../../../src/formats/mod.ts";
import type { Client } from "../../../support/app.ts";
import { PATHS } from "../../../support/paths.ts";

/** Formats with their specified content types. */
export const TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  yaml: "application/x-yaml; charset=utf-8",
  pem: "application/x-pem-file; charset=utf-8",
} as const;
export type FormatName = keyof typeof TYPES;
export const NAMES = Object.keys(TYPES) as FormatName[];

/** Parameters: lists are repeated in a query, and lists in a body. */
export type Parameters = Readonly<Record<string, string | number | boolean | readonly (string | number)[]>>;

/** Requests an export by GET. */
export function exportByGet(client: Client, parameters: Parameters): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return client(`${PATHS.certificates}export/?${query}`);
}

/** Requests an export by POST. */
export function exportByPost(client: Client, body: unknown): Promise<Response> {
  return client(`${PATHS.certificates}export/`, { method: "POST", body });
}

/** Both methods. */
export const METHODS = [["GET", exportByGet], ["POST", exportByPost]] as const;

/** Returns the rows of a document; cells of CSV are texts. */
export function rowsOf(format: Exclude<FormatName, "pem">, text: string): Record<string, unknown>[] {
  if (format === "json") return JSON.parse(text);
  if (format === "yaml") return parse(text);
  return readCsv(text, { columns: EXPORT_FIELDS, maxRows: 10_000 }).rows.map(({ cells }) => cells);
}

/** Returns the common names in a document. */
export function commonNames(format: FormatName, text: string): unknown[] {
  if (format !== "pem") return rowsOf(format, text).map((row) => row.common_name);
  return [...text.matchAll(/^# Common name: (.*)$/gm)].map(([, name]) => name);
}
