/** Request bodies that contain a table of metadata. */

import { z } from "zod";
import type { RowFinding } from "../../../formats/mod.ts";
import { type BodyFinding, fieldErrors, objectBody } from "../../../operation/mod.ts";
import { documented, inputSchema, toJsonSchema, type Values } from "../../../resource/mod.ts";
import { EXPORT_FIELDS } from "../export/mod.ts";
import { certificates } from "../mod.ts";
import { DUPLICATE_FIELDS } from "./responses.ts";
import { IMPORT_COLUMNS, OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from "./columns.ts";

/** An error in a cell or in a whole row. Row 0 is the document. */
export interface DataError {
  readonly row: number;
  readonly field: string;
  readonly message: string;
  /** What is wrong with the table; absent for errors of cells. */
  readonly code?: RowFinding["code"];
}

/** Formats of metadata documents. */
const DATA_FORMATS = ["csv", "json", "yaml", "pem"] as const;
export type DataFormat = typeof DATA_FORMATS[number];

/** A table: the document as text, or as a parsed JSON list. */
export interface DataTable {
  readonly source: string | readonly unknown[];
  readonly format: "auto" | DataFormat;
}

const COLUMNS =
  `Required: ${named(REQUIRED_COLUMNS)}. Optional: ${named(OPTIONAL_COLUMNS)}. Other columns of ` +
  "exports are ignored, unknown ones are refused. Dates are `YYYY-MM-DD` or ISO 8601 datetimes (UTC without a time zone). Tenants are " +
  "named by name, slug or id, tags by slug or name, authorities by name.";
const CSV =
  "CSV: a row of column names, then a certificate in each row; cells separated by commas, semicolons or tabs; quotes, " +
  "line ends and formula guards as exports write them; `sans` and `tags` are lists with `;` between their members.";
const JSON_ROWS =
  "JSON: a list of objects with these names; `sans` and `tags` are lists, `key_size` is a number.";
const OTHERS =
  "YAML: the same list. PEM: a certificate and its chain after each line `# Certificate: …`, as exports write them; " +
  "without such lines each certificate is a row.";
const NO_ROWS = "Expected at least one row of data.";

/** Cells that are written differently from the fields of a certificate. */
const CELLS: Readonly<Values> = {
  valid_from: { type: "string", description: "`YYYY-MM-DD` or an ISO 8601 datetime." },
  valid_to: { type: "string", description: "`YYYY-MM-DD` or an ISO 8601 datetime." },
  tenant: { type: ["string", "integer", "null"], description: "By name, slug or id." },
  issuing_ca: { type: ["string", "null"], description: "By name." },
  tags: { type: ["array", "null"], items: { type: ["string", "object"] }, description: "By slug or name." },
  assignments: {
    type: ["array", "null"],
    items: { type: ["string", "object"] },
    description:
      "Objects that use it: `dcim.device:NAME`, or `{assigned_object_type, assigned_object: {name}, is_primary, notes}` " +
      "with `assigned_object_id` in place of a name.",
  },
};

/** A row of a list. `readDataRow` checks it cell by cell and reports all errors. */
const Row = documented(z.unknown(), () => ({
  type: "object",
  description: `A certificate by its columns. ${COLUMNS}`,
  required: REQUIRED_COLUMNS,
  properties: {
    ...Object.fromEntries(EXPORT_FIELDS.map((name) => [name, {}])),
    ...Object.fromEntries(
      IMPORT_COLUMNS.map((name) => [name, CELLS[name] ?? toJsonSchema(inputSchema(certificates, name))]),
    ),
  },
  additionalProperties: false,
}));

/** A table as text. */
export const TextTable = objectBody({
  content: z.string().min(1, NO_ROWS).describe(`The table as text. ${CSV} ${JSON_ROWS} ${OTHERS} ${COLUMNS}`),
  format: z.enum(["auto", ...DATA_FORMATS]).nullish().describe(
    "Format of `content`; `auto` (default) detects it.",
  ),
  ...DUPLICATE_FIELDS,
});

/** A table as text, or as a list. */
export const Table = objectBody({
  format: z.enum(DATA_FORMATS).nullish().describe("Format of `data`; `json` by default."),
  data: z.union([z.array(Row).min(1, NO_ROWS), z.string().min(1, NO_ROWS)]).describe(
    `The rows as a list, or as text. ${CSV} ${JSON_ROWS} ${OTHERS}`,
  ),
  ...DUPLICATE_FIELDS,
});

/**
 * Returns findings about a body as errors of the document. Those about the whole body are errors of the field
 * with the table.
 */
export function documentErrors(findings: readonly BodyFinding[], field: string): DataError[] {
  const ofBody = findings.filter(({ path }) => path.length === 0);
  if (ofBody.length > 0) return ofBody.map(({ message }) => ({ row: 0, field, message }));
  return Object.entries(fieldErrors(findings)).flatMap(([name, messages]) =>
    messages.map((message) => ({ row: 0, field: name, message }))
  );
}

function named(columns: readonly string[]): string {
  return columns.map((column) => `\`${column}\``).join(", ");
}
