/** Who may import; request bodies with a table; reports of imports. */

import { z } from "zod";
import { type AppError, forbidden, invalid } from "../../../base/errors.ts";
import { type Finding, finding, textOf } from "../../../base/findings.ts";
import { certificates, STATUSES } from "../mod.ts";
import { type DuplicateRule, type ImportOutcome, ON_DUPLICATE, type RowStatus } from "./rows.ts";
import { authorize, type Context, isGranted, newRows, restriction } from "../../../auth/mod.ts";
import { and, type Condition } from "../../../filters/mod.ts";
import { type RowFinding, TABLE_FORMATS } from "../../../formats/mod.ts";
import { type BodyFinding, fieldErrors, objectBody } from "../../../operation/mod.ts";
import { documented, inputSchema, type Out, toJsonSchema, type Values } from "../../../resource/mod.ts";
import { EXPORT_FIELDS } from "../export/fields.ts";
import {
  DATA_FORMATS,
  type DataFormat,
  IMPORT_COLUMNS,
  OPTIONAL_COLUMNS,
  REQUIRED_COLUMNS,
} from "./columns.ts";

/** The fields of a body that say how to handle existing certificates. */
export const DUPLICATE_FIELDS = {
  on_duplicate: z.enum(ON_DUPLICATE).nullish().describe(
    "What happens to a certificate that is stored already (the same serial number and issuer): `error` refuses " +
      "everything, `skip` leaves it unchanged, `update` fills its missing values, and needs `change`. `update` also " +
      "finds it by its fingerprint.",
  ),
  overwrite: z.boolean().default(false).describe("Whether `update` also replaces values."),
};

/** The caller's choice. */
export type DuplicateChoice = z.infer<z.ZodObject<typeof DUPLICATE_FIELDS>>;

/** Returns the caller's choice. Errors: from `refusal` (`overwrite` without `update`). */
export function choiceOf(
  { on_duplicate, overwrite }: DuplicateChoice,
  { fallback, refusal = (one) => invalid([one]) }: {
    fallback: DuplicateRule["onDuplicate"];
    refusal?: (one: Finding & { field: string }) => AppError;
  },
): Pick<DuplicateRule, "onDuplicate" | "overwrite"> {
  const onDuplicate = on_duplicate ?? fallback;
  if (overwrite && onDuplicate !== "update") {
    throw refusal({ ...finding("overwrite_needs_update", { given: onDuplicate }), field: "overwrite" });
  }
  return { onDuplicate, overwrite };
}

/** The brief form in which imports list what they created. */
export const ImportedBrief = z.object({
  id: z.int(),
  url: z.string(),
  common_name: z.string(),
  serial_number: z.string(),
  status: z.enum(STATUSES),
  valid_to: z.iso.datetime(),
});

/** Fields of {@link ImportedBrief}. */
export const IMPORTED_FIELDS = Object.keys(ImportedBrief.shape);

/** A certificate that already exists, or occurs twice. */
const Skipped = z.object({ common_name: z.string(), serial_number: z.string(), reason: z.string() });

/** The result of one row. A refused import has skipped its valid rows. */
export const RowResult = z.object({
  row: z.int(),
  status: z.enum(["created", "updated", "unchanged", "skipped", "error"]),
  id: z.int().optional(),
  common_name: z.string(),
  reason: z.string().optional().describe(
    "With `update`, or if the import was refused: why a row was skipped.",
  ),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});
export type RowResult = z.infer<typeof RowResult>;

/** The counts in all reports. */
export const COUNTS = { created_count: z.int(), skipped_count: z.int() };

/** Additional members of reports with `on_duplicate` `update`. */
export const UPDATE_COUNTS = {
  updated_count: z.int().optional().describe("With `update`."),
  unchanged_count: z.int().optional().describe("With `update`."),
};
const RESULTS = { results: z.array(RowResult).optional().describe("With `update`: the result of each row.") };

/** The counts and results in reports that list the created certificates. */
export const COUNTS_WITH_RESULTS = { ...COUNTS, ...UPDATE_COUNTS, ...RESULTS };

type Counts = z.infer<z.ZodObject<typeof COUNTS>> & z.infer<z.ZodObject<typeof UPDATE_COUNTS>>;

/** Returns the counts of an import. */
export function countsOf({ rows, updates }: ImportOutcome): Counts {
  const count = (of: RowStatus): number => rows.filter(({ status }) => status === of).length;
  return {
    created_count: count("create"),
    ...(updates ? { updated_count: count("update"), unchanged_count: count("unchanged") } : {}),
    skipped_count: count("skip"),
  };
}

/** Returns the counts, and with `update` also the result of each row. */
export function countsWithResults(
  outcome: ImportOutcome,
): z.infer<z.ZodObject<typeof COUNTS_WITH_RESULTS>> {
  return { ...countsOf(outcome), ...(outcome.updates ? { results: resultsOf(outcome) } : {}) };
}

const RESULT_STATUS = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "skipped",
  error: "error",
} as const;

/** Returns the results of all rows in their order. */
export function resultsOf({ rows, updates }: ImportOutcome): RowResult[] {
  return rows.map(({ place: row, status, id, common_name, reason }) => ({
    row,
    status: RESULT_STATUS[status],
    ...(status === "skip"
      ? { common_name, ...(updates && reason !== undefined ? { reason: textOf(reason) } : {}) }
      : { id, common_name }),
  }));
}

/** Returns the created certificates in the order of their rows, with the fields of `shape`. */
export function createdOf<Brief>({ rows }: ImportOutcome, shape: z.ZodType<Brief>): Brief[] {
  return rows.flatMap(({ status, object }) =>
    status === "create" && object !== undefined ? [shape.parse(object)] : []
  );
}

/** The report of an import that does not refuse existing certificates. */
export const ImportReport = z.object({
  ...COUNTS_WITH_RESULTS,
  certificates: z.array(ImportedBrief).describe("The created certificates."),
  skipped: z.array(Skipped),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** Returns the report of an import. */
export function reportOf(outcome: ImportOutcome): ImportReport {
  return {
    ...countsWithResults(outcome),
    certificates: createdOf(outcome, ImportedBrief),
    skipped: outcome.rows.flatMap(({ status, common_name, serial_number, reason }) =>
      status === "skip"
        ? [{ common_name, serial_number, reason: reason === undefined ? "" : textOf(reason) }]
        : []
    ),
  };
}

/** The action `add` on certificates also allows imports until release 1.0. */
const LEGACY_ADD_OPENS_IMPORTS = true;

/** Authorizes an import. Returns the condition that imported certificates must match. Errors: forbidden. */
export function authorizeImport(ctx: Context): Condition {
  const { map } = certificates;
  const granted = restriction(ctx, "import", map) !== undefined;
  const legacy = LEGACY_ADD_OPENS_IMPORTS && !granted && restriction(ctx, "add", map) !== undefined;
  if (!legacy) return authorize(ctx, "import", certificates.map);
  ctx.log.log("warn", "deprecated", {
    request_id: ctx.requestId,
    message: 'The action "add" allows imports only until release 1.0. Grant the action "import" instead.',
    username: ctx.actor.username,
  });
  return authorize(ctx, "add", certificates.map);
}

/** Authorizes a bulk import, which also needs the action `bulk_operations`. Errors: forbidden. */
export function authorizeBulkImport(ctx: Context): Condition {
  const bulk = newRows(ctx, "bulk_operations", certificates.map);
  if (bulk === undefined) throw forbidden();
  return and(authorizeImport(ctx), bulk);
}

/** Returns whether the caller may import anything. */
export function mayImport(ctx: Context): boolean {
  return isGranted(ctx, "import", certificates.objectType) ||
    LEGACY_ADD_OPENS_IMPORTS && isGranted(ctx, "add", certificates.objectType);
}

/** Returns whether the caller may bulk-import anything. */
export function mayBulkImport(ctx: Context): boolean {
  return mayImport(ctx) && isGranted(ctx, "bulk_operations", certificates.objectType);
}

/** An error in a cell or in a whole row. Row 0 is the document. */
export type DataError = RowFinding & { readonly field: string };

/** A table: the document as text, or as a parsed JSON list. */
export interface DataTable {
  readonly source: string | readonly unknown[];
  readonly format: "auto" | DataFormat;
}

const COLUMNS =
  `Required: ${named(REQUIRED_COLUMNS)}. Optional: ${named(OPTIONAL_COLUMNS)}. Other columns of ` +
  "exports are ignored, unknown ones are refused. Dates are `YYYY-MM-DD` or ISO 8601 datetimes (UTC without a time zone). Tenants are " +
  "named by name, slug or id, tags by slug or name, authorities by name.";
const DOCUMENTS = [
  ...Object.values(TABLE_FORMATS).map(({ description }) => description),
  "PEM: a certificate and its chain after each line `# Certificate: …`, as exports write them; without such lines each " +
  "certificate is a row.",
].join(" ");
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
  devices: {
    type: ["array", "null"],
    items: { type: "string" },
    description: "Names of devices and virtual machines that use it.",
  },
  contacts: {
    type: ["array", "null"],
    items: { type: "string" },
    description: "Names or e-mail addresses of contacts that are responsible for it.",
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
      IMPORT_COLUMNS.map((name) => [name, CELLS[name] ?? toJsonSchema(inputSchema<Out>(certificates, name))]),
    ),
  },
  additionalProperties: false,
}));

/** A table as text. */
export const TextTable = objectBody({
  content: z.string().min(1, NO_ROWS).describe(`The table as text. ${DOCUMENTS} ${COLUMNS}`),
  format: z.enum(["auto", ...DATA_FORMATS]).nullish().describe(
    "Format of `content`; `auto` (default) detects it.",
  ),
  ...DUPLICATE_FIELDS,
});

/** A table as text, or as a list. */
export const Table = objectBody({
  format: z.enum(DATA_FORMATS).nullish().describe("Format of `data`; `json` by default."),
  data: z.union([z.array(Row).min(1, NO_ROWS), z.string().min(1, NO_ROWS)]).describe(
    `The rows as a list, or as text. ${DOCUMENTS}`,
  ),
  ...DUPLICATE_FIELDS,
});

/**
 * Returns findings about a body as errors of the document. Those about the whole body are errors of the field
 * with the table.
 */
export function documentErrors(findings: readonly BodyFinding[], field: string): DataError[] {
  const ofBody = findings.filter(({ path }) => path.length === 0);
  const all = ofBody.length > 0 ? ofBody : fieldErrors(findings);
  return all.map((one) => ({ ...one, row: 0, field: one.field ?? field }));
}

function named(columns: readonly string[]): string {
  return columns.map((column) => `\`${column}\``).join(", ");
}
